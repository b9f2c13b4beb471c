// Weights laid out for decoding, and what products see of them.
#pragma once

#include "tests/random_tensor.h"

namespace kette::testing {

/// f32, uniform in [-1, 1).
inline Tensor random_tensor(Shape shape, std::uint64_t seed) {
  return random(shape, seed).to(DType::f32);
}

inline PrepackedWeight pack(Device device, const Tensor& matrix, const Tensor& bias = {},
                            DType panels = DType::f32) {
  const Tensor there = bias.defined() ? bias.to(device) : bias;
  return on(device, [&](auto exec) {
    return kernels::prepack_linear(exec, matrix.to(device), there, panels);
  });
}

/// What a product sees of a matrix in panels of that type.
inline Tensor rounded(const Tensor& matrix, DType panels) {
  return matrix.to(panels).to(DType::f32);
}

}  // namespace kette::testing
