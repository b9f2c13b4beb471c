// Softmax and its logarithm over the last axis.
//   softmax      y_j = exp(x_j - max x) / sum_k exp(x_k - max x)
//               dx_j = y_j (dy_j - sum_k y_k dy_k)
//   log softmax  y_j = x_j - max x - log sum_k exp(x_k - max x)
//               dx_j = dy_j - exp(y_j) sum_k dy_k
// x, y, dy, dx: [rows, width]. Goodfellow et al., Deep Learning, section 4.1 (why the maximum is subtracted).
#pragma once

#include "tensor/scalar.h"

namespace kette::rows {

template <class T>
struct Softmax {
  using Element = T;
  const T* x;
  T* y;
  std::int64_t width;

  template <class Group>
  KETTE_HOST_DEVICE void operator()(Group g, std::int64_t row) const {
    using C = Compute<T>;
    const T* in = x + row * width;
    T* out = y + row * width;
    const C peak = g.template max<C>(width, [=](std::int64_t j) { return C(in[j]); });
    const C total =
        g.template sum<C>(width, [=](std::int64_t j) { return scalar::exp(C(in[j]) - peak); });
    const C scale = C(1) / total;
    g.each(width, [=](std::int64_t j) { out[j] = scalar::exp(C(in[j]) - peak) * scale; });
  }
};

template <class T>
struct SoftmaxBackward {
  using Element = T;
  const T *y, *dy;
  T* dx;
  std::int64_t width;

  template <class Group>
  KETTE_HOST_DEVICE void operator()(Group g, std::int64_t row) const {
    using C = Compute<T>;
    const T *probability = y + row * width, *upstream = dy + row * width;
    T* out = dx + row * width;
    const C dot = g.template sum<C>(
        width, [=](std::int64_t j) { return C(probability[j]) * C(upstream[j]); });
    g.each(width, [=](std::int64_t j) { out[j] = C(probability[j]) * (C(upstream[j]) - dot); });
  }
};

template <class T>
struct LogSoftmax {
  using Element = T;
  const T* x;
  T* y;
  std::int64_t width;

  template <class Group>
  KETTE_HOST_DEVICE void operator()(Group g, std::int64_t row) const {
    using C = Compute<T>;
    const T* in = x + row * width;
    T* out = y + row * width;
    const C peak = g.template max<C>(width, [=](std::int64_t j) { return C(in[j]); });
    const C total =
        g.template sum<C>(width, [=](std::int64_t j) { return scalar::exp(C(in[j]) - peak); });
    const C log_total = scalar::log(total);
    g.each(width, [=](std::int64_t j) { out[j] = (C(in[j]) - peak) - log_total; });
  }
};

template <class T>
struct LogSoftmaxBackward {
  using Element = T;
  const T *y, *dy;
  T* dx;
  std::int64_t width;

  template <class Group>
  KETTE_HOST_DEVICE void operator()(Group g, std::int64_t row) const {
    using C = Compute<T>;
    const T *log_probability = y + row * width, *upstream = dy + row * width;
    T* out = dx + row * width;
    const C total = g.template sum<C>(width, [=](std::int64_t j) { return C(upstream[j]); });
    g.each(width, [=](std::int64_t j) {
      out[j] = C(upstream[j]) - scalar::exp(C(log_probability[j])) * total;
    });
  }
};

}  // namespace kette::rows
