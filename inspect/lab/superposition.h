// Toy models of superposition (Elhage et al. 2022): n features through m dimensions and back,
//   x' = relu(x W W^T + b),   loss = sum_i importance_i (x_i - x'_i)^2
// with the rows of W, [n, m], the directions of the features. Each feature is absent, 0, more often than not;
// otherwise it is uniform in [0, 1].
#pragma once

#include <functional>
#include <vector>

#include "inspect/linear_algebra.h"
#include "tensor/device.h"

namespace kette {

struct SuperpositionSizes {
  std::int64_t features = 20, dimensions = 5;
  double fading = 0.9;  ///< importance of feature i: fading^i
  std::vector<double>
      densities;  ///< how often a feature is present: a model each, trained side by side
  std::int64_t steps = 4000, batch = 256;
  double lr = 1e-2;  ///< down to a tenth by half a cosine
};

/// The trained W of each density.
std::vector<DenseMatrix> train_superposition(const SuperpositionSizes& sizes, std::uint64_t seed,
                                             Device device,
                                             const std::function<void(double share)>& progress);

/// D_i = |W_i|^2 / sum_j (W_i . W_j / |W_i|)^2, what share of a dimension feature i has; 0 for one that is
/// not represented, |W_i|^2 below 1/2.
std::vector<double> feature_dimensionalities(const DenseMatrix& w);

}  // namespace kette
