// How the loss of a language model falls with its size and its data,
//   L(N, D) = E + A / N^alpha + B / D^beta
// (Hoffmann et al. 2022, "Training Compute-Optimal Large Language Models", section 3.3), fitted as there:
// the least Huber loss of the differences of logarithms, the best of several starts.
#pragma once

#include <cstdint>
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
};

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
  ScalingInterval of(double ScalingLaw::*number) const;
};
ScalingBootstrap bootstrap_scaling_law(std::span<const ScalingPoint> points, const ScalingLaw& law,
                                       std::int64_t times, std::uint64_t seed);

}  // namespace kette
