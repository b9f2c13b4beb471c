#include "autograd/adjoint_check.h"

#include <algorithm>

#include "tensor/random.h"

namespace kette {
namespace {

/// <u, J v> and the sum of its terms' sizes.
struct Change {
  double sum = 0, size = 0;
};

class AdjointTest {
 public:
  AdjointTest(const AdjointProblem& problem, const Tensor& x, const std::string& label,
              const GradientCheckOptions& options)
      : problem_(problem),
        options_(options),
        direction_(Tensor::zeros(x.shape(), x.dtype(), x.device())),
        gradient_(problem.gradient(1)),
        comparisons_(label, x.shape(), gradient_, options.adjoint_tolerance) {}

  GradientGap run() {
    for (const Probe& probe : probes()) {
      const Comparison together = comparison(probe);
      if (probe.count() == 1 || options_.directions > 0 || together.share() <= 1 ||
          !comparisons_.summary().ok()) {
        comparisons_.add(probe, together);
        continue;
      }
      for (const std::int64_t element : probe.elements) {
        const Probe alone{{element}, {1.0}};
        comparisons_.add(alone, comparison(alone));
      }
    }
    return comparisons_.summary();
  }

 private:
  /// Groups elements of similar gradients, each with a weight of about 1 / its gradient and a
  /// random sign.
  std::vector<Probe> probes() const {
    std::vector<std::int64_t> elements = checked_elements(std::ssize(gradient_), options_);
    std::stable_sort(elements.begin(), elements.end(), [&](std::int64_t a, std::int64_t b) {
      return std::abs(gradient_[a]) > std::abs(gradient_[b]);
    });
    const bool is_fast = options_.directions > 0;
    const std::int64_t together = is_fast ? std::ssize(elements) : options_.together;
    std::vector<Probe> probes;
    for (std::int64_t repeat = 0; repeat < (is_fast ? options_.directions : 1); ++repeat) {
      Random random(options_.seed, 3000 + static_cast<std::uint64_t>(repeat));
      for (std::size_t at = 0; at < elements.size(); ++at) {
        if (static_cast<std::int64_t>(at) % together == 0) probes.emplace_back();
        const double gradient = std::abs(gradient_[elements[at]]);
        probes.back().elements.push_back(elements[at]);
        // Random, since errors would cancel if weights had simple ratios.
        const double weight = random.uniform(0.5, 1) / (gradient > 0 ? gradient : 1);
        probes.back().weights.push_back(std::copysign(weight, random.uniform(-1, 1)));
      }
    }
    return probes;
  }

  /// <u, J (factor * v)>.
  Change change(const Probe& probe, double factor) const {
    const Moved moved(direction_, probe);
    moved.set(factor);
    Change result;
    for (const double term : problem_.change(direction_)) {
      result.sum += term;
      result.size += std::abs(term);
    }
    return result;
  }

  Comparison comparison(const Probe& probe) {
    const Change expected = change(probe, 1);
    Comparison result{expected.sum, probe.along(gradient_)};
    double size = std::max(expected.size, std::abs(result.got));
    if (probe.count() > 1) {
      // The terms of both sums have random signs.
      double of_gradients = 0;
      for (std::size_t j = 0; j < probe.elements.size(); ++j) {
        of_gradients += std::abs(probe.weights[j] * gradient_[probe.elements[j]]);
      }
      size = std::max(size, of_gradients);
    }
    result.allowed = options_.adjoint_tolerance * size;
    if (result.share() <= 1 || (probe.count() > 1 && options_.directions == 0)) return result;
    result.noise = result.hidden = rounding(probe, expected.sum);
    result.allowed += result.noise;
    return result;
  }

  double rounding(const Probe& probe, double sum) {
    if (gradient_rounding_.empty()) {
      gradient_rounding_ = sampled_rounding(gradient_, problem_.gradient);
    }
    const Values of_change =
        sampled_rounding({sum}, [&](double factor) { return Values{change(probe, factor).sum}; });
    double all = of_change[0];
    for (std::size_t j = 0; j < probe.elements.size(); ++j) {
      all += std::abs(probe.weights[j]) * gradient_rounding_[probe.elements[j]];
    }
    return all;
  }

  const AdjointProblem& problem_;
  const GradientCheckOptions& options_;
  Tensor direction_;
  std::vector<double> gradient_;
  Values gradient_rounding_;  // of each element, if computed
  Comparisons comparisons_;
};

}  // namespace

GradientGap compare_adjoint(const AdjointProblem& problem, const Tensor& x,
                            const std::string& label, const GradientCheckOptions& options) {
  return AdjointTest(problem, x, label, options).run();
}

}  // namespace kette
