// Toy models of superposition (Elhage et al. 2022) map n features to m dimensions and back:
//   x' = relu(x W W^T + b),   loss = sum_i importance_i (x_i - x'_i)^2
// The rows of W, [n, m], are the directions of the features. A feature is mostly 0, otherwise uniform in [0, 1].
#pragma once

#include <functional>
#include <vector>

#include "inspect/linear_algebra.h"
#include "tensor/device.h"

namespace kette {

struct SuperpositionSizes {
  std::int64_t features = 20, dimensions = 5;
  double fading = 0.9;  ///< importance of feature i: fading^i
  /// The probability that a feature is not 0; one model each, trained together.
  std::vector<double> densities;
  std::int64_t steps = 4000, batch = 256;
  double lr = 1e-2;  ///< falls to a tenth by half a cosine
};

/// The trained W for each density.
std::vector<DenseMatrix> train_superposition(const SuperpositionSizes& sizes, std::uint64_t seed,
                                             Device device,
                                             const std::function<void(double share)>& progress);

/// The share of a dimension that each feature has, D_i = |W_i|^2 / sum_j (W_i . W_j / |W_i|)^2. 0 for a feature that is
/// not represented (|W_i|^2 below 1/2).
std::vector<double> feature_dimensionalities(const DenseMatrix& w);

}  // namespace kette
