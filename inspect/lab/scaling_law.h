// The scaling law of the loss of a language model with N parameters trained on D tokens (Hoffmann et al. 2022,
// "Training Compute-Optimal Large Language Models", section 3.3):
//   L(N, D) = E + A / N^alpha + B / D^beta
// Fitted as there: minimises the Huber loss of the differences of logarithms, from several starts.
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

  /// The best size for a training budget of 6 N D operations (section 3.3, equation 4), and its loss. The size grows as
  /// operations^size_exponent(); the loss falls towards E as operations^-compute_exponent().
  double best_parameters(double operations) const;
  double best_loss(double operations) const;
  double size_exponent() const { return beta / (alpha + beta); }
  double compute_exponent() const { return alpha * beta / (alpha + beta); }
};

/// 2 forward and 4 backward (Kaplan et al. 2020, section 2.1).
inline constexpr double kOperationsPerParameterAndToken = 6;

/// Needs at least five points.
ScalingLaw fit_scaling_law(std::span<const ScalingPoint> points);

/// A 90 % interval.
struct ScalingInterval {
  double low = 0, high = 0;
};
struct ScalingBootstrap {
  std::vector<ScalingLaw> laws;
  std::vector<double> errors;  ///< of the fit to all points, at each point: log(loss / law)

  /// The interval of the loss that a run of this size and data would measure: the laws' spread plus an error like those
  /// of the points.
  ScalingInterval prediction(double parameters, double tokens) const;
  ScalingInterval of(const std::function<double(const ScalingLaw&)>& number) const;
};
ScalingBootstrap bootstrap_scaling_law(std::span<const ScalingPoint> points, const ScalingLaw& law,
                                       std::int64_t times, std::uint64_t seed);

}  // namespace kette
