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

/// Takes place on the weight's device; the result is on the host.
inline Tensor multiply(const PrepackedWeight& weight, const Tensor& x,
                       Activation activation = Activation::none) {
  const Device device = weight.panels.device();
  const Tensor y = Tensor::empty({x.rows(), weight.out}, DType::f32, device);
  on(device, [&](auto exec) {
    kernels::prepacked_linear(exec, {&weight, x.to(device), y, activation});
  });
  return y.to(Device{});
}

}  // namespace kette::testing
