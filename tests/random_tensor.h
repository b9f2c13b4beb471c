// Inputs for tests of kernels, and a look at their results.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/ceil_div.h"
#include "tensor/kernels.h"
#include "tensor/random.h"
#include "tensor/tensor.h"

namespace kette {

/// f64 on the CPU, uniform in [-spread, spread); the same for the same seed.
inline Tensor random(Shape shape, std::uint64_t seed, double spread = 1) {
  Random numbers(seed);
  std::vector<double> values(static_cast<std::size_t>(shape.elements()));
  for (double& value : values) value = numbers.uniform(-spread, spread);
  return Tensor::from(values, shape);
}

inline double sum_of_squares(const Tensor& x) {
  const Tensor sum = Tensor::empty({1}, DType::f64, x.device());
  const Tensor blocks =
      Tensor::empty({ceil_div(x.elements(), kSquaresBlock)}, DType::f64, x.device());
  on(x.device(), [&](auto exec) {
    kernels::squares_of_blocks(exec, x, blocks);
    kernels::sum_of_blocks(exec, blocks, sum);
  });
  return sum.item();
}

}  // namespace kette
