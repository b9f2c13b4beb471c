#include "autograd/differences.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace kette {
namespace {

/// An estimate of a derivative and its error.
struct Estimate {
  double value = 0, noise = 0;
};

/// (b - a) / distance, summed over the outputs.
double quotient(const Values& a, const Values& b, double distance) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += b[i] - a[i];
  return sum / distance;
}

/// The outputs at multiples -4, -2, -1, 0, 1, 2 and 4 of a step.
class Neighbourhood {
 public:
  Neighbourhood(const Line& line, const Values& center, double step)
      : step_(step), at_{line(-4 * step), line(-2 * step), line(-step),   center,
                         line(step),      line(2 * step),  line(4 * step)} {}

  /// The rounding error of the outputs that move within this, or the `widest`, neighbourhood. An
  /// output that does not move in the widest may move by less than its last bit.
  double rounding(const Neighbourhood& widest, double epsilon) const {
    constexpr double kRoundings = 8;  // of an output that moves
    double noise = 0;
    for (std::size_t i = 0; i < at_[3].size(); ++i) {
      const double size = std::abs(at_[3][i]);
      noise += widest.moves(i) ? kRoundings * size / step_ : size / (4 * widest.step_);
    }
    return epsilon * noise;
  }

  Estimate central() const { return extrapolated(2, slope(-1, 1), slope(-2, 2), slope(-4, 4)); }
  Estimate from_right() const { return extrapolated(1, slope(0, 1), slope(0, 2), slope(0, 4)); }
  Estimate from_left() const { return extrapolated(1, slope(-1, 0), slope(-2, 0), slope(-4, 0)); }

 private:
  const Values& at(int multiple) const {
    switch (multiple) {
      case -4:
        return at_[0];
      case 4:
        return at_[6];
      default:
        return at_[3 + multiple];
    }
  }
  bool moves(std::size_t output) const {
    return std::any_of(at_.begin(), at_.end(),
                       [&](const Values& outputs) { return outputs[output] != at_[3][output]; });
  }
  double slope(int a, int b) const { return quotient(at(a), at(b), (b - a) * step_); }
  /// Extrapolates to step 0 from quotients at h, 2h and 4h with errors of h^order, h^(2 order), ...
  static Estimate extrapolated(int order, double once, double twice, double four_times) {
    const double factor = std::exp2(order), squared = factor * factor;
    const double near = (factor * once - twice) / (factor - 1),
                 far = (factor * twice - four_times) / (factor - 1);
    return {(squared * near - far) / (squared - 1), std::abs(near - far)};
  }

  double step_;
  std::array<Values, 7> at_;
};

Comparison comparison(const Estimate& expected, double got, const GradientCheckOptions& options) {
  const double hidden = options.absolute + expected.noise;
  const double allowed = hidden + options.tolerance * std::abs(expected.value);
  return {expected.value, got, expected.noise, allowed, hidden};
}

/// Decides by the estimates with the least noise; those with much more say nothing. At a kink both
/// sides are right.
std::optional<Comparison> best_of(const std::vector<Estimate>& estimates, double got,
                                  const GradientCheckOptions& options) {
  // A remainder may be small by accident. With the large steps of f32 it often is, with a kink on
  // either side.
  const double clear = options.dtype == DType::f64 ? 30 : 1000;
  double least = std::numeric_limits<double>::infinity();
  for (const Estimate& estimate : estimates) least = std::min(least, estimate.noise);
  std::optional<Comparison> best;
  for (const Estimate& estimate : estimates) {
    if (estimate.noise > clear * least + options.tolerance * std::abs(estimate.value)) continue;
    const Comparison of_this = comparison(estimate, got, options);
    if (!best || of_this.share() < best->share()) best = of_this;
  }
  return best;
}

}  // namespace

double epsilon_of(DType dtype) {
  return dtype == DType::f64 ? std::numeric_limits<double>::epsilon()
                             : static_cast<double>(std::numeric_limits<float>::epsilon());
}

Comparison compare_derivative(const Line& line, double got, const GradientCheckOptions& options,
                              double worst, double rounding) {
  const double h = options.step;
  const Comparison plain = comparison({quotient(line(-h), line(h), 2 * h), 0}, got, options);
  if (plain.share() <= 1 || !options.tries_again || (worst > 1 && plain.share() <= worst)) {
    return plain;
  }
  constexpr double kSmallNoise = 1e-4;  // relative to the gradient; precise enough
  // Large steps have the least rounding; small ones avoid kinks.
  const double epsilon = epsilon_of(options.dtype);
  const Values center = line(0);
  std::optional<Neighbourhood> widest;
  std::vector<Estimate> estimates;
  Comparison best = plain;
  const double smallest = options.dtype == DType::f64 ? h / 100 : h / 10;
  for (const double step : {std::pow(epsilon, 0.2), h, smallest}) {
    const Neighbourhood near(line, center, step);
    if (!widest) widest = near;
    const double noise = near.rounding(*widest, epsilon) + rounding / step;
    for (Estimate estimate : {near.central(), near.from_right(), near.from_left()}) {
      estimate.noise += noise;
      if (std::isfinite(estimate.value)) estimates.push_back(estimate);
    }
    best = best_of(estimates, got, options).value_or(plain);
    if (best.share() <= 1 && best.noise <= kSmallNoise * best.size()) break;
  }
  return best;
}

GradientGap compare_with_differences(const Tensor& x, const Tensor& gradient,
                                     const std::function<Values()>& outputs,
                                     const std::string& label,
                                     const GradientCheckOptions& options) {
  const std::vector<double> got = values_or_zeros(gradient, x.shape());
  Comparisons comparisons(label, x.shape(), got, options.tolerance);
  for (const Probe& probe : probes_of(x.elements(), options)) {
    const Moved moved(x, probe);
    const auto line = [&](double offset) {
      moved.set(offset);
      return outputs();
    };
    comparisons.add(probe,
                    compare_derivative(line, probe.along(got), options, comparisons.worst()));
  }
  return comparisons.summary();
}

}  // namespace kette
