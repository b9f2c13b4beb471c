#include "autograd/gradient_check.h"

#include <limits>
#include <map>
#include <sstream>

#include "autograd/adjoint_check.h"
#include "autograd/differences.h"
#include "autograd/leaf_tangents.h"
#include "autograd/purity.h"
#include "autograd/record.h"
#include "autograd/scratch_gradients.h"
#include "tensor/gap.h"
#include "tensor/scalar.h"

namespace kette {
namespace {

/// "f64 [3] on cpu, then f64 [2] on cpu"; empty: both have one shape and type.
std::string change_of_form(const Tensor& before, const Tensor& after) {
  if (before.shape() == after.shape() && before.dtype() == after.dtype()) return "";
  return before.str() + ", then " + after.str();
}

/// u_k y_k of all outputs.
std::vector<double> weighted(const Outputs& outputs, const std::vector<Values>& weights) {
  std::vector<double> terms;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::vector<double> values = outputs[i].value().values<double>();
    for (std::size_t k = 0; k < values.size(); ++k) terms.push_back(weights[i][k] * values[k]);
  }
  return terms;
}

/// Adds the adjoint test, or why there is none: an op without a tangent.
void add_adjoint(GradientCheck& check, const std::function<GradientGap()>& test) {
  try {
    check.adjoint = test();
  } catch (const NoTangent& error) {
    check.no_adjoint = error.what();
  }
}

/// The check of a function of inputs.
class FunctionCheck {
 public:
  FunctionCheck(const DifferentiableFunction& function, const std::vector<SampleInput>& inputs,
                const GradientCheckOptions& options)
      : function_(function),
        values_(sample_inputs(inputs, options.dtype, options.seed, options.device)) {
    check_.options = options;
    for (const SampleInput& input : inputs) wanted_.push_back(is_differentiated(input));
  }

  GradientCheck run() {
    const PauseRecording pause;
    const Outputs outputs = first_call();
    for (const Variable& output : outputs) first_.push_back(output.value());
    weights_ = weights_of(outputs, check_.options.seed);
    find_faults();
    if (!check_.fault.empty()) return check_;
    const std::vector<Tensor> gradient = gradients(1, std::nullopt);
    if (outputs.size() > 1) take_outputs_alone(outputs.size(), gradient);
    add_adjoint(check_, [&] { return adjoint(gradient); });
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (!wanted_[i]) continue;
      GradientGap differences = compare_with_differences(
          values_[i], gradient[i], [&] { return weighted(apply(constants()), weights_); }, label(i),
          check_.options);
      const std::string hidden = untold(
          label(i), values_or_zeros(gradient[i], values_[i].shape()), differences,
          check_.adjoint ? &adjoints_.at(i) : nullptr,
          [&](double factor) { return gradient_of(i, factor); }, check_.options);
      if (check_.untold.empty()) check_.untold = hidden;
      check_.differences.join(differences);
    }
    return check_;
  }

 private:
  static std::string label(std::size_t input) { return "input " + std::to_string(input); }

  std::vector<Variable> constants() const { return {values_.begin(), values_.end()}; }

  /// How outputs differ in number, shape or type from those of the first call; empty: not at all.
  std::string change_of_forms(const Outputs& outputs) const {
    if (outputs.size() != first_.size()) {
      return "the number of outputs is " + std::to_string(first_.size()) + ", then " +
             std::to_string(outputs.size());
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const std::string change = change_of_form(first_[i], outputs[i].value());
      if (!change.empty()) return "output " + std::to_string(i) + " is " + change;
    }
    return "";
  }

  /// An Error if its outputs have other forms than those of the first call, which have weights.
  Outputs apply(const std::vector<Variable>& inputs) const {
    Outputs outputs = function_(inputs);
    const std::string change = change_of_forms(outputs);
    KETTE_CHECK(change.empty(),
                "gradient check: expected outputs of the same shapes at each call, given ", change);
    return outputs;
  }

  Outputs first_call() const {
    try {
      return function_(constants());
    } catch (const Error& error) {
      const std::string what = error.what();
      if (check_.options.dtype != DType::f64 || what.find("expected f32") == std::string::npos)
        throw;
      fail(what,
           " (a check is in f64; of what takes f32 alone, with GradientCheckOptions().in_f32())");
    }
  }

  /// The gradient of each tracked input, undefined if none arrived; from one output alone, or from
  /// all.
  std::vector<Tensor> gradients(double factor, std::optional<std::size_t> alone,
                                std::vector<Tensor>* given = nullptr) const {
    Tape tape;
    std::vector<Variable> inputs;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const Tensor value = values_[i].clone();
      inputs.push_back(wanted_[i] ? tape.watch(value) : Variable(value));
      if (given) given->push_back(value);
    }
    Outputs outputs = apply(inputs);
    for (std::size_t i = 0; alone && i < outputs.size(); ++i) {
      if (i != *alone) outputs[i] = {};
    }
    backward_weighted(tape, outputs, weights_, factor);
    std::vector<Tensor> result;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      result.push_back(wanted_[i] ? tape.gradient(inputs[i]) : Tensor());
    }
    return result;
  }

  void find_faults() {
    const Outputs again = function_(constants());
    const std::string change = change_of_forms(again);
    if (!change.empty()) {
      check_.fault = "two calls differ: " + change + "; what is random must be drawn alike in each";
      return;
    }
    for (std::size_t i = 0; i < again.size() && check_.fault.empty(); ++i) {
      const std::string where = difference_of(first_[i], again[i].value());
      if (!where.empty()) {
        check_.fault = "two calls differ: output " + std::to_string(i) + " at " + where +
                       "; what is random must be drawn alike in each";
      }
    }
    PurityObserver observer;
    std::vector<Tensor> given;
    {
      const OpObservation observation(&observer);
      gradients(1, std::nullopt, &given);
    }
    if (check_.fault.empty()) check_.fault = observer.fault();
    for (std::size_t i = 0; i < given.size() && check_.fault.empty(); ++i) {
      const std::string where = difference_of(values_[i], given[i]);
      if (!where.empty()) check_.fault = label(i) + " was changed at " + where;
    }
  }

  /// Backward is linear: gradients from each output alone must add up to those from all.
  void take_outputs_alone(std::size_t outputs, const std::vector<Tensor>& all) {
    std::vector<std::vector<Tensor>> alone;
    for (std::size_t i = 0; i < outputs; ++i) alone.push_back(gradients(1, i));
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (!wanted_[i]) continue;
      const std::vector<double> together = values_or_zeros(all[i], values_[i].shape());
      std::vector<double> sum(together.size());
      double largest = 0;
      for (const auto& of_output : alone) {
        const std::vector<double> part = values_or_zeros(of_output[i], values_[i].shape());
        for (std::size_t j = 0; j < part.size(); ++j) {
          sum[j] += part[j];
          largest = std::max(largest, std::abs(part[j]));
        }
      }
      for (std::size_t j = 0; j < sum.size(); ++j) {
        const double tolerance = check_.options.dtype == DType::f64 ? 1e-12 : 1e-4;
        if (std::abs(sum[j] - together[j]) <= tolerance * largest) continue;
        std::ostringstream text;
        text << label(i) << ": expected a gradient that is the sum of those of each output alone, "
             << sum[j] << ", given " << together[j] << " at element " << j
             << " (backward is given an undefined gradient of an output that nothing depends on)";
        check_.fault = text.str();
        return;
      }
    }
  }

  Values gradient_of(std::size_t input, double factor) const {
    return values_or_zeros(gradients(factor, std::nullopt)[input], values_[input].shape());
  }

  /// gradient: gradients(1, std::nullopt).
  GradientGap adjoint(const std::vector<Tensor>& gradient) {
    GradientGap worst;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (!wanted_[i]) continue;
      AdjointProblem problem;
      problem.gradient = [&, i](double factor) {
        return factor == 1 ? values_or_zeros(gradient[i], values_[i].shape())
                           : gradient_of(i, factor);
      };
      problem.change = [&, i](const Tensor& v) {
        std::vector<Variable> inputs = constants();
        inputs[i] = inputs[i].with_tangent(v);
        std::vector<Variable> tangents;
        std::vector<Values> weights;
        const Outputs outputs = apply(inputs);
        for (std::size_t k = 0; k < outputs.size(); ++k) {
          if (!outputs[k].has_tangent()) continue;
          tangents.push_back(outputs[k].tangent());
          weights.push_back(weights_[k]);
        }
        return weighted(tangents, weights);
      };
      adjoints_[i] = compare_adjoint(problem, values_[i], label(i), check_.options);
      worst.join(adjoints_[i]);
    }
    return worst;
  }

  const DifferentiableFunction& function_;
  std::vector<Tensor> values_;
  std::vector<bool> wanted_;
  std::vector<Tensor> first_;  // outputs
  std::vector<Values> weights_;
  std::map<std::size_t, GradientGap> adjoints_;  // by input
  GradientCheck check_;
};

}  // namespace

void GradientCheckOptions::check() const {
  KETTE_CHECK(tolerance > 0 && adjoint_tolerance > 0 && absolute >= 0,
              "gradient check: expected tolerances above 0, and an absolute one of 0 or more, "
              "given ",
              tolerance, ", ", adjoint_tolerance, " of the adjoint test, and ", absolute);
  KETTE_CHECK(step > 0, "gradient check: expected a step above 0, given ", step);
  KETTE_CHECK(together > 0, "gradient check: expected at least 1 element together, given ",
              together);
}

void GradientGap::join(const GradientGap& other) {
  if (where.empty() || scalar::is_larger(other.gap, gap)) {
    gap = other.gap;
    expected = other.expected;
    got = other.got;
    noise = other.noise;
    where = other.where;
  }
  of_largest = larger_gap(of_largest, other.of_largest);
  tolerance = std::max(tolerance, other.tolerance);
  checked += other.checked;
  below_noise += other.below_noise;
  gaps.insert(gaps.end(), other.gaps.begin(), other.gaps.end());
}

void GradientCheck::join(const GradientCheck& other) {
  differences.join(other.differences);
  if (other.adjoint) {
    if (!adjoint) adjoint.emplace();
    adjoint->join(*other.adjoint);
  }
  if (no_adjoint.empty()) no_adjoint = other.no_adjoint;
  if (fault.empty()) fault = other.fault;
  if (untold.empty()) untold = other.untold;
  options = other.options;
}

GradientGap GradientCheck::worst() const {
  GradientGap result = differences;
  if (adjoint && !(adjoint->gap / adjoint->tolerance <= result.gap / result.tolerance)) {
    result = *adjoint;
  }
  if (!fault.empty()) {
    result.gap = std::numeric_limits<double>::infinity();
    result.where = fault;
  }
  return result;
}

std::string GradientCheck::str() const {
  std::ostringstream text;
  text.precision(9);
  const auto line = [&](const char* proof, const GradientGap& gap, const std::string& rule) {
    text << proof << ": "
         << (!gap.ok()         ? "FAILED"
             : gap.checked > 0 ? "ok"
                               : "?")
         << ", " << gap.checked << " elements";
    if (gap.below_noise > 0) text << " (" << gap.below_noise << " more lie below the noise)";
    text << ", worst gap " << gap.gap << " (" << gap.of_largest << " of the largest); " << gap.where
         << ": expected " << gap.expected << ", got " << gap.got << ", allowed " << rule << '\n';
  };
  const auto rule = [](double tolerance, const std::string& of, double noise) {
    std::ostringstream words;
    words << tolerance << " of " << of << " and " << noise << " of noise";
    return words.str();
  };
  if (!fault.empty()) text << "FAILED: " << fault << '\n';
  if (!differences.where.empty()) {
    line("differences", differences, rule(options.tolerance, "it", differences.noise));
  }
  if (adjoint) {
    line("adjoint", *adjoint, rule(options.adjoint_tolerance, "its terms", adjoint->noise));
  }
  if (!no_adjoint.empty()) text << "adjoint: not tried: " << no_adjoint << '\n';
  if (!failed() && !tells()) text << "?: " << why_untold() << '\n';
  return text.str();
}

std::string GradientCheck::why_untold() const {
  if (untold.empty()) {
    return "nothing can be said: expected inputs with elements to differentiate, given none";
  }
  return "nothing can be said: noise hides the gradient of " + untold +
         " (check in f64, without large constants in the results, or give each op a tangent)";
}

GradientCheck check_gradients(const DifferentiableFunction& function,
                              const std::vector<SampleInput>& inputs,
                              const GradientCheckOptions& options) {
  options.check();
  return FunctionCheck(function, inputs, options).run();
}

ParameterChecks check_parameter_gradients(const std::function<Variable()>& loss,
                                          const std::vector<std::shared_ptr<Leaf>>& leaves,
                                          const GradientCheckOptions& options) {
  options.check();
  const auto gradients = [&](double factor) {
    for (const auto& leaf : leaves) leaf->gradient.zero();
    Tape tape;
    const Variable value = loss();
    tape.backward(
        value, Tensor::full(value.shape(), factor, value.value().dtype(), value.value().device()));
  };
  const PauseRecording pause;
  const ScratchGradients scratch(leaves);
  const Tensor once = loss().value(), again = loss().value();
  std::string difference = change_of_form(once, again);
  if (difference.empty()) difference = difference_of(once, again);
  KETTE_CHECK(difference.empty(),
              "gradient check: expected a loss that is the same at each call, given ", difference,
              "; what is random must be drawn alike in each");
  gradients(1);
  std::vector<Tensor> gradient;
  for (const auto& leaf : leaves) gradient.push_back(leaf->gradient.clone());
  ParameterChecks checks;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const auto& leaf = leaves[i];
    GradientCheck check;
    check.options = options;
    check.differences = compare_with_differences(
        leaf->value, gradient[i], [&] { return Values{loss().value().item()}; }, leaf->name,
        options);
    AdjointProblem problem;
    problem.gradient = [&](double factor) {
      if (factor == 1) return gradient[i].values<double>();
      gradients(factor);
      return leaf->gradient.values<double>();
    };
    problem.change = [&](const Tensor& v) {
      const LeafTangents along({leaf}, {v});
      const Variable change = loss().tangent();
      return change.value().defined() ? Values{change.value().item()} : Values{};
    };
    add_adjoint(check, [&] { return compare_adjoint(problem, leaf->value, leaf->name, options); });
    check.untold = untold(leaf->name, gradient[i].values<double>(), check.differences,
                          check.adjoint ? &*check.adjoint : nullptr, problem.gradient, options);
    checks.emplace_back(leaf->name, std::move(check));
  }
  return checks;
}

}  // namespace kette
