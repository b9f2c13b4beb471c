// The gate of SwiGLU (Shazeer 2020, equation (6)), with both projections in one product [gate,
// value]:
//   y_j = silu(gate_j) * value_j
//   dgate_j = silu'(gate_j) * value_j * dy_j,   dvalue_j = silu(gate_j) * dy_j
// x, dx: [rows, 2 * width]; y, dy: [rows, width].
#pragma once

#include <array>

#include "tensor/elementwise.h"

namespace kette::rows {

template <class T>
struct SwiGlu {
  using Element = T;
  const T* x;
  T* y;
  std::int64_t width;

  std::array<const void*, 2> addresses() const { return {x, y}; }

  template <class Group>
  KETTE_HOST_DEVICE void operator()(Group g, std::int64_t row) const {
    using C = Compute<T>;
    const T* in = x + row * 2 * width;
    const auto gate = g.read(in, width), value = g.read(in + width, width);
    auto out = g.write(y + row * width, width);
    g.each(width, [&](auto j) { out[j] = Silu{}.forward(C(gate[j])) * C(value[j]); });
    g.store(out, y + row * width, width);
  }
};

template <class T>
struct SwiGluBackward {
  using Element = T;
  const T *x, *dy;
  T* dx;
  std::int64_t width;

  std::array<const void*, 3> addresses() const { return {x, dy, dx}; }

  template <class Group>
  KETTE_HOST_DEVICE void operator()(Group g, std::int64_t row) const {
    using C = Compute<T>;
    const T* in = x + row * 2 * width;
    T* out = dx + row * 2 * width;
    const auto gate = g.read(in, width), value = g.read(in + width, width);
    const auto upstream = g.read(dy + row * width, width);
    auto dgate = g.write(out, width), dvalue = g.write(out + width, width);
    g.each(width, [&](auto j) {
      const C at = C(gate[j]), d = C(upstream[j]);
      dgate[j] = Silu{}.backward(at, C(0), C(value[j]) * d);
      dvalue[j] = Silu{}.forward(at) * d;
    });
    g.store(dgate, out, width);
    g.store(dvalue, out + width, width);
  }
};

}  // namespace kette::rows
