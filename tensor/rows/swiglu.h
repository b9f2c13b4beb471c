// The gate of SwiGLU (Shazeer 2020, equation (6)), of one product whose columns are [gate, value]:
//   y_j = silu(gate_j) * value_j
//   dgate_j = silu'(gate_j) * value_j * dy_j,   dvalue_j = silu(gate_j) * dy_j
// x, dx: [rows, 2 * width]; y, dy: [rows, width].
#pragma once

#include "tensor/elementwise.h"

namespace kette::rows {

template <class T>
struct SwiGlu {
  using Element = T;
  const T* x;
  T* y;
  std::int64_t width;

  template <class Group>
  KETTE_HOST_DEVICE void operator()(Group g, std::int64_t row) const {
    using C = Compute<T>;
    const T *gate = x + row * 2 * width, *value = gate + width;
    T* out = y + row * width;
    g.each(width, [=](std::int64_t j) { out[j] = T(Silu{}.forward(C(gate[j])) * C(value[j])); });
  }
};

template <class T>
struct SwiGluBackward {
  using Element = T;
  const T *x, *dy;
  T* dx;
  std::int64_t width;

  template <class Group>
  KETTE_HOST_DEVICE void operator()(Group g, std::int64_t row) const {
    using C = Compute<T>;
    const T *gate = x + row * 2 * width, *value = gate + width, *upstream = dy + row * width;
    T *dgate = dx + row * 2 * width, *dvalue = dgate + width;
    g.each(width, [=](std::int64_t j) {
      const C at = C(gate[j]), d = C(upstream[j]);
      dgate[j] = T(Silu{}.backward(at, C(0), C(value[j]) * d));
      dvalue[j] = T(Silu{}.forward(at) * d);
    });
  }
};

}  // namespace kette::rows
