// Sharpness is the largest eigenvalue of the Hessian of the training loss. Measures it during full-batch gradient
// descent of a character GPT in f64 (Cohen et al. 2021, "Gradient Descent on Neural Networks Typically Occurs at the
// Edge of Stability").
#pragma once

#include <cmath>
#include <functional>
#include <vector>

#include "inspect/lab/power_iteration.h"
#include "tensor/device.h"

namespace kette {

struct SharpnessSizes {
  std::int64_t layers = 1, width = 16, heads = 2;
  std::int64_t windows = 16, context = 16;  ///< of the only batch, bundled English text
  std::int64_t steps = 3000;
  std::int64_t every = 50;                           ///< steps between measurements
  std::int64_t early_steps = 200, early_every = 10;  ///< while sharpness rises
};

struct SharpnessRun {
  double step_size = 0;  ///< eta
  std::int64_t parameters = 0;
  std::vector<double> losses;  ///< before each step, and after the last
  std::vector<double> steps;   ///< the steps after which sharpness was measured
  std::vector<EigenvalueEstimate> sharpness;
  /// <v, H v> for the last eigenvector, by a Hessian product and by a central difference of gradients.
  double by_product = 0, by_difference = 0;

  /// 2 / eta. Gradient descent on a quadratic loss diverges above this sharpness.
  double edge() const { return 2 / step_size; }
  /// The first of `steps` at which sharpness is at least the edge; -1: none.
  double reached() const;
  /// Mean sharpness / edge from step `begin` on, each measurement weighted by the steps to the next; NaN: none.
  double mean_share(double begin) const;
  /// The same over the last third of the steps, and from the step at which the edge was reached.
  double late_share() const { return mean_share(2 * steps.back() / 3); }
  double share_since_reached() const { return mean_share(reached() < 0 ? NAN : reached()); }
};

/// Initial weights and batch depend only on the seed. Throws an Error if a loss is not finite.
SharpnessRun measure_sharpness(const SharpnessSizes& sizes, double step_size, std::uint64_t seed,
                               Device device, const std::function<void(double share)>& progress);

}  // namespace kette
