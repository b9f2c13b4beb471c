// Root mean square norm over the last axis (Zhang and Sennrich 2019, equation (4)): layer norm
// without the mean and the bias.
//   y_j = gain_j * x_j * r,   r = 1 / sqrt(mean(x^2) + epsilon)
// With n_j = x_j * r and d_j = gain_j * dy_j:
//   dx_j (+)= r * (d_j - n_j * mean(d * n)),   dgain_j = sum over rows of dy_ij * n_ij
// r is kept in f32 or f64. x, y, dy, dx: [rows, width]; gain: [width]; r: [rows].
#pragma once

#include <tuple>

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

  template <class Group>
  KETTE_HOST_DEVICE void operator()(Group g, std::int64_t row) const {
    using C = Compute<T>;
    const T *in = x + row * width, *gains = gain;
    T* out = y + row * width;
    const C squares = g.template sum<C>(width, [=](std::int64_t j) { return C(in[j]) * C(in[j]); });
    const C scale = C(1) / scalar::sqrt(squares / C(width) + C(epsilon));
    g.each(width, [=](std::int64_t j) { out[j] = T(C(gains[j]) * (C(in[j]) * scale)); });
    g.once([=, this] { reciprocal[row] = scale; });
  }
};

/// dx may be dy, and then does not add.
template <class T>
struct RmsNormBackward {
  using Element = T;
  const T *x, *dy, *gain;
  const Compute<T>* reciprocal;
  T* dx;
  bool adds;  // to what is in dx
  std::int64_t width;

  template <class Group>
  KETTE_HOST_DEVICE void operator()(Group g, std::int64_t row) const {
    using C = Compute<T>;
    const T *in = x + row * width, *upstream = dy + row * width, *gains = gain;
    T* out = dx + row * width;
    const C scale = reciprocal[row];
    const C mean_dn = g.template sum<C>(width, [=](std::int64_t j) {
      return C(gains[j]) * C(upstream[j]) * (C(in[j]) * scale);
    }) / C(width);
    const auto gradient = [=](std::int64_t j) {
      return scale * (C(gains[j]) * C(upstream[j]) - C(in[j]) * scale * mean_dn);
    };
    if (adds) {
      g.each(width, [=](std::int64_t j) { out[j] = T(C(out[j]) + gradient(j)); });
    } else {
      g.each(width, [=](std::int64_t j) { out[j] = T(gradient(j)); });
    }
  }
};

template <class T>
struct RmsNormColumns {
  using Element = T;
  static constexpr int kSums = 1;
  const T *x, *dy;
  const Compute<T>* reciprocal;
  std::int64_t width;

  KETTE_HOST_DEVICE auto row_terms(std::int64_t row) const {
    using C = Compute<T>;
    const T *in = x + row * width, *upstream = dy + row * width;
    const C scale = reciprocal[row];
    return std::tuple{[=](std::int64_t j) { return C(upstream[j]) * (C(in[j]) * scale); }};
  }
};

}  // namespace kette::rows
