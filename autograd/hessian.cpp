#include "autograd/hessian.h"

#include <map>
#include <utility>

#include "autograd/differences.h"
#include "autograd/leaf_tangents.h"
#include "autograd/ops/elementwise.h"
#include "autograd/scratch_gradients.h"
#include "autograd/tape.h"
#include "tensor/random.h"

namespace kette {
namespace {

/// The functions of a loss of several tensors. All vectors have one entry per tensor.
struct SecondOrderProblem {
  std::vector<std::string> names;
  std::vector<Tensor> at;  ///< moved by the check, then restored
  std::function<std::vector<Values>(double factor)> gradients;  ///< of the loss times a factor
  std::function<std::vector<Values>(const std::vector<Tensor>& v)> product;
};

std::vector<Values> values_of(const std::vector<Tensor>& gradients,
                              const std::vector<Tensor>& like) {
  std::vector<Values> result;
  for (std::size_t i = 0; i < like.size(); ++i) {
    result.push_back(values_or_zeros(gradients[i], like[i].shape()));
  }
  return result;
}

double dot(const std::vector<Probe>& v, const std::vector<Values>& products, double& size) {
  double sum = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    for (std::size_t j = 0; j < products[i].size(); ++j) {
      const double term = v[i].weights[j] * products[i][j];
      sum += term;
      size += std::abs(term);
    }
  }
  return sum;
}

class SecondOrderCheck {
 public:
  SecondOrderCheck(const SecondOrderProblem& problem, const GradientCheckOptions& options)
      : problem_(problem), options_(options) {}

  std::vector<GradientCheck> run() {
    const std::int64_t count = std::max<std::int64_t>(2, options_.directions);
    const std::vector<Values> rounding = rounding_of(problem_.gradients);
    std::vector<GradientCheck> checks(problem_.at.size());
    std::vector<std::vector<Probe>> directions;
    std::vector<std::vector<Values>> products;
    for (std::int64_t k = 0; k < count; ++k) {
      std::vector<Probe> v;
      for (std::size_t i = 0; i < problem_.at.size(); ++i) {
        v.push_back(direction(k, i, problem_.at[i].elements()));
      }
      products.push_back(product(v, 1));
      directions.push_back(std::move(v));
      compare(directions.back(), products.back(), rounding, checks);
    }
    const GradientGap adjoint = symmetry(directions, products);
    for (std::size_t i = 0; i < checks.size(); ++i) {
      GradientCheck& check = checks[i];
      check.options = options_;
      // The symmetry of all says nothing of one: a product with a diagonal is always symmetric.
      check.untold = untold(
          problem_.names[i], products[0][i], check.differences, nullptr,
          [&](double factor) { return product(directions[0], factor)[i]; }, options_);
      check.adjoint = adjoint;
    }
    return checks;
  }

 private:
  /// H (factor * v).
  std::vector<Values> product(const std::vector<Probe>& v, double factor) const {
    std::vector<Tensor> tangents;
    for (std::size_t i = 0; i < problem_.at.size(); ++i) {
      const Tensor& x = problem_.at[i];
      Values along = v[i].weights;
      for (double& element : along) element *= factor;
      tangents.push_back(Tensor::from(along, x.shape()).to(x.dtype()).to(x.device()));
    }
    return problem_.product(tangents);
  }

  Probe direction(std::int64_t number, std::size_t input, std::int64_t elements) const {
    Random random(options_.seed, 4000 + 100 * static_cast<std::uint64_t>(number) + input);
    Probe probe;
    for (std::int64_t j = 0; j < elements; ++j) {
      probe.elements.push_back(j);
      probe.weights.push_back(random.uniform(-1, 1));
    }
    return probe;
  }

  /// Of gradients or products, as functions of a factor, at the original values.
  std::vector<Values> rounding_of(
      const std::function<std::vector<Values>(double factor)>& values) const {
    const auto end_to_end = [&](double factor) {
      Values all;
      for (const Values& of_one : values(factor)) {
        all.insert(all.end(), of_one.begin(), of_one.end());
      }
      return all;
    };
    const Values all = sampled_rounding(end_to_end(1), end_to_end);
    std::vector<Values> rounding;
    auto at = all.begin();
    for (const Tensor& x : problem_.at) {
      rounding.emplace_back(at, at + x.elements());
      at += x.elements();
    }
    return rounding;
  }

  /// Compares each element of H v with differences of its gradient along v.
  void compare(const std::vector<Probe>& v, const std::vector<Values>& product,
               const std::vector<Values>& rounding, std::vector<GradientCheck>& checks) const {
    std::vector<std::unique_ptr<Moved>> moved;
    for (std::size_t i = 0; i < v.size(); ++i) {
      moved.push_back(std::make_unique<Moved>(problem_.at[i], v[i]));
    }
    std::map<double, std::vector<Values>> seen;  // all elements use the same offsets
    const auto gradients_at = [&](double offset) -> const std::vector<Values>& {
      const auto [found, is_new] = seen.try_emplace(offset);
      if (is_new) {
        for (const auto& each : moved) each->set(offset);
        found->second = problem_.gradients(1);
      }
      return found->second;
    };
    for (std::size_t i = 0; i < v.size(); ++i) {
      Comparisons comparisons(problem_.names[i], problem_.at[i].shape(), product[i],
                              options_.tolerance);
      for (const std::int64_t element : checked_elements(problem_.at[i].elements(), options_)) {
        const Line line = [&](double offset) { return Values{gradients_at(offset)[i][element]}; };
        comparisons.add({{element}, {1.0}},
                        compare_derivative(line, product[i][element], options_, comparisons.worst(),
                                           rounding[i][element]));
      }
      checks[i].differences.join(comparisons.summary());
    }
  }

  /// The rounding of <w, H v>.
  double noise_of(const std::vector<Probe>& w, const std::vector<Probe>& v) const {
    const std::vector<Values> rounding =
        rounding_of([&](double factor) { return product(v, factor); });
    double noise = 0;
    dot(w, rounding, noise);
    return noise;
  }

  GradientGap symmetry(const std::vector<std::vector<Probe>>& v,
                       const std::vector<std::vector<Values>>& products) const {
    GradientGap gap;
    double size = 0;
    gap.expected = dot(v[0], products[1], size);
    gap.got = dot(v[1], products[0], size);
    gap.where = "<w, H v> and <v, H w>";
    for (const Tensor& x : problem_.at) gap.checked = gap.checked > 0 || x.elements() > 0;
    const double distance = std::abs(gap.expected - gap.got);
    gap.tolerance = options_.adjoint_tolerance;
    // Where the terms within a product cancel, its rounding is far above that of what remains.
    if (distance > gap.tolerance * size) {
      gap.noise = noise_of(v[0], v[1]) + noise_of(v[1], v[0]);
    }
    gap.gap = distance == 0 ? 0 : distance / (size + gap.noise / gap.tolerance);
    gap.of_largest = gap.gap;
    gap.gaps = {gap.gap};
    return gap;
  }

  const SecondOrderProblem& problem_;
  const GradientCheckOptions& options_;
};

}  // namespace

std::vector<Tensor> hessian_vector_product(const std::function<Variable()>& loss,
                                           const std::vector<std::shared_ptr<Leaf>>& leaves,
                                           const std::vector<Tensor>& directions) {
  const ScratchGradients scratch(leaves);
  {
    const LeafTangents tangents(leaves, directions);
    Tape tape;
    const Variable along = loss().tangent();
    if (along.value().defined() && tape.tracks(along)) tape.backward(along);
  }
  std::vector<Tensor> products;
  for (const auto& leaf : leaves) products.push_back(leaf->gradient);
  return products;
}

GradientCheck check_second_order(const DifferentiableFunction& function,
                                 const std::vector<SampleInput>& inputs,
                                 const GradientCheckOptions& options) {
  options.check();
  const std::vector<Tensor> all =
      sample_inputs(inputs, options.dtype, options.seed, options.device);
  SecondOrderProblem problem;
  std::vector<std::size_t> wanted;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!is_differentiated(inputs[i])) continue;
    wanted.push_back(i);
    problem.names.push_back("input " + std::to_string(i));
    problem.at.push_back(all[i]);
  }
  // Gradients of the weighted outputs, or, with v, of their tangents.
  const auto gradients = [&](double factor, const std::vector<Tensor>* v) {
    Tape tape;
    std::vector<Variable> given(all.begin(), all.end());
    std::vector<Variable> watched;
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      Variable& input = given[wanted[k]];
      input = tape.watch(all[wanted[k]].clone());
      if (v) input = input.with_tangent((*v)[k]);
      watched.push_back(input);
    }
    Outputs outputs = function(given);
    const std::vector<Values> weights = weights_of(outputs, options.seed);
    for (Variable& output : outputs) output = v ? output.tangent() : output;
    backward_weighted(tape, outputs, weights, factor);
    std::vector<Tensor> result;
    for (const Variable& input : watched) result.push_back(tape.gradient(input));
    return values_of(result, problem.at);
  };
  problem.gradients = [&](double factor) { return gradients(factor, nullptr); };
  problem.product = [&](const std::vector<Tensor>& v) { return gradients(1, &v); };
  GradientCheck joined;
  for (const GradientCheck& check : SecondOrderCheck(problem, options).run()) joined.join(check);
  return joined;
}

ParameterChecks check_parameters_second_order(const std::function<Variable()>& loss,
                                              const std::vector<std::shared_ptr<Leaf>>& leaves,
                                              const GradientCheckOptions& options) {
  options.check();
  const ScratchGradients scratch(leaves);
  SecondOrderProblem problem;
  for (const auto& leaf : leaves) {
    problem.names.push_back(leaf->name);
    problem.at.push_back(leaf->value);
  }
  problem.gradients = [&](double factor) {
    for (const auto& leaf : leaves) leaf->gradient.zero();
    Tape tape;
    tape.backward(affine(loss(), factor));
    std::vector<Tensor> gradients;
    for (const auto& leaf : leaves) gradients.push_back(leaf->gradient);
    return values_of(gradients, problem.at);
  };
  problem.product = [&](const std::vector<Tensor>& v) {
    return values_of(hessian_vector_product(loss, leaves, v), problem.at);
  };
  const std::vector<GradientCheck> checks = SecondOrderCheck(problem, options).run();
  ParameterChecks result;
  for (std::size_t i = 0; i < leaves.size(); ++i) result.emplace_back(leaves[i]->name, checks[i]);
  return result;
}

}  // namespace kette
