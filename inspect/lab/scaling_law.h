// How the loss of a language model falls with its size and its data,
//   L(N, D) = E + A / N^alpha + B / D^beta
// (Hoffmann et al. 2022, "Training Compute-Optimal Large Language Models", section 3.3), fitted as there:
// the least Huber loss of the differences of logarithms, the best of several starts.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace kette {

struct ScalingPoint {
  double parameters = 0, tokens = 0, loss = 0;
};

struct ScalingLaw {
  double floor = 0;                   ///< E
  double size_factor = 0, alpha = 0;  ///< A
  double data_factor = 0, beta = 0;   ///< B

  double operator()(double parameters, double tokens) const;

  /// Where training may cost 6 N D operations (section 3.3, equation 4): the best size, which grows as
  /// operations^size_exponent(), and its loss, which falls towards E as operations^-compute_exponent().
  double best_parameters(double operations) const;
  double best_loss(double operations) const;
  double size_exponent() const { return beta / (alpha + beta); }
  double compute_exponent() const { return alpha * beta / (alpha + beta); }
};

/// What training on a token takes for each parameter: 2 operations forward, 4 backward (Kaplan et al. 2020, section 2.1).
inline constexpr double kOperationsPerParameterAndToken = 6;

/// At least five points.
ScalingLaw fit_scaling_law(std::span<const ScalingPoint> points);

/// From fits to `times` draws of as many points with replacement (Efron 1979): 90 of 100 lie within.
struct ScalingInterval {
  double low = 0, high = 0;
};
struct ScalingBootstrap {
  std::vector<ScalingLaw> laws;
  std::vector<double> errors;  ///< of the whole fit at each point, log of loss over law

  /// Of what a run of this size and this data would measure: the laws, and an error like those of the points.
  ScalingInterval prediction(double parameters, double tokens) const;
  ScalingInterval of(const std::function<double(const ScalingLaw&)>& number) const;
};
ScalingBootstrap bootstrap_scaling_law(std::span<const ScalingPoint> points, const ScalingLaw& law,
                                       std::int64_t times, std::uint64_t seed);

}  // namespace kette
