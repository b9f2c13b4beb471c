// Root mean square norm over the last axis (Zhang and Sennrich 2019, equation (4)): layer norm
// without the mean and the bias.
//   y_j = gain_j * x_j * r,   r = 1 / sqrt(mean(x^2) + epsilon)
// With n_j = x_j * r and d_j = gain_j * dy_j:
//   dx_j (+)= r * (d_j - n_j * mean(d * n)),   dgain_j = sum over rows of dy_ij * n_ij
// r is kept in f32 or f64. x, y, dy, dx: [rows, width]; gain: [width]; r: [rows].
#pragma once

#include <array>

#include "tensor/scalar.h"

namespace kette::rows {

template <class T>
struct RmsNorm {
  using Element = T;
  const T *x, *gain;
  T* y;
  Compute<T>* reciprocal;
  std::int64_t width;
  double epsilon;

  std::array<const void*, 3> addresses() const { return {x, gain, y}; }

  template <class Group>
  KETTE_HOST_DEVICE void operator()(Group g, std::int64_t row) const {
    using C = Compute<T>;
    const auto in = g.read(x + row * width, width), gains = g.read(gain, width);
    const C squares = g.template sum<C>(width, [&](auto j) { return C(in[j]) * C(in[j]); });
    const C scale = C(1) / scalar::sqrt(squares / C(width) + C(epsilon));
    auto out = g.write(y + row * width, width);
    g.each(width, [&](auto j) { out[j] = C(gains[j]) * (C(in[j]) * scale); });
    g.store(out, y + row * width, width);
    g.once([&] { reciprocal[row] = scale; });
  }
};

/// dx may be dy; then `adds` is false.
template <class T>
struct RmsNormBackward {
  using Element = T;
  static constexpr int kSums = 1;  // dgain
  const T *x, *dy, *gain;
  const Compute<T>* reciprocal;
  T* dx;
  bool adds;  // to what is in dx
  std::int64_t width;

  std::array<const void*, 4> addresses() const { return {x, dy, gain, dx}; }

  template <class Group, class Sums>
  KETTE_HOST_DEVICE void operator()(Group g, std::int64_t row, Sums& sums) const {
    using C = Compute<T>;
    const std::int64_t at = row * width;
    const auto in = g.read(x + at, width), upstream = g.read(dy + at, width);
    const auto gains = g.read(gain, width);
    const C scale = reciprocal[row];
    auto&& dgain = sums[0];
    g.each(width, [&](auto j) { dgain[j] += C(upstream[j]) * (C(in[j]) * scale); });
    const C mean_dn = g.template sum<C>(width, [&](auto j) {
      return C(gains[j]) * C(upstream[j]) * (C(in[j]) * scale);
    }) / C(width);
    const auto gradient = [&](auto j) {
      return scale * (C(gains[j]) * C(upstream[j]) - C(in[j]) * scale * mean_dn);
    };
    auto out = adds ? g.update(dx + at, width) : g.write(dx + at, width);
    if (adds) {
      g.each(width, [&](auto j) { out[j] = C(out[j]) + gradient(j); });
    } else {
      g.each(width, [&](auto j) { out[j] = gradient(j); });
    }
    g.store(out, dx + at, width);
  }
};

}  // namespace kette::rows
