// Sharpness, the largest eigenvalue of the Hessian of the training loss, along full-batch gradient descent (Cohen et al.
// 2021, "Gradient Descent on Neural Networks Typically Occurs at the Edge of Stability"): of a GPT of characters, in f64.
#pragma once

#include <cmath>
#include <functional>
#include <vector>

#include "inspect/lab/power_iteration.h"
#include "tensor/device.h"

namespace kette {

struct SharpnessSizes {
  std::int64_t layers = 1, width = 16, heads = 2;
  std::int64_t windows = 16, context = 16;  ///< of the one batch, of bundled English
  std::int64_t steps = 3000;
  std::int64_t every = 50;                           ///< steps from one measurement to the next
  std::int64_t early_steps = 200, early_every = 10;  ///< while sharpness rises
};

struct SharpnessRun {
  double step_size = 0;  ///< eta
  std::int64_t parameters = 0;
  std::vector<double> losses;  ///< before each step, and after the last
  std::vector<double> steps;   ///< that sharpness was measured after
  std::vector<EigenvalueEstimate> sharpness;
  /// <v, H v> of the last eigenvector, by a product and by a central difference of gradients.
  double by_product = 0, by_difference = 0;

  /// 2 / eta: where a quadratic loss is any sharper, gradient descent diverges.
  double edge() const { return 2 / step_size; }
  /// The first of `steps` at which sharpness is not below the edge; -1: none.
  double reached() const;
  /// Mean from step `begin` on, as a share of the edge, each measurement by the steps up to the next; NaN: of none.
  double mean_share(double begin) const;
  /// The same over the last third of the steps, and from where the edge was reached.
  double late_share() const { return mean_share(2 * steps.back() / 3); }
  double share_since_reached() const { return mean_share(reached() < 0 ? NAN : reached()); }
};

/// The same initial weights and batch for the same seed. A loss that is not finite is an Error.
SharpnessRun measure_sharpness(const SharpnessSizes& sizes, double step_size, std::uint64_t seed,
                               Device device, const std::function<void(double share)>& progress);

}  // namespace kette
