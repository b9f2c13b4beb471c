// Layer norm over the last axis, with the residual sum and dropout of a Transformer sub-layer in
// the same pass:
//   s = x + dropout(r)            (r may be absent: then s = x)
//   y = gain * (s - mean(s)) * rstd(s) + bias,   rstd = 1 / sqrt(var(s) + epsilon)
// Vaswani et al. 2017, section 5.4 (residual dropout); Ba et al. 2016 (layer norm). The variance is
// taken in two passes over the row, and mean and rstd are kept in f32 or f64: the one-pass form
// loses digits when |mean| >> 1. x, r, s, y: [rows, width]; gain, bias: [width]; mean, rstd:
// [rows].
#pragma once

#include <tuple>

#include "tensor/random.h"
#include "tensor/scalar.h"

namespace kette::rows {

template <class T>
struct ResidualLayerNorm {
  using Element = T;
  const T *x, *residual;  // residual may be null
  const T *gain, *bias;
  T *sum, *y;  // sum may be null when there is no residual, y when only the sum is asked for
  Compute<T>*mean, *rstd;
  std::int64_t width;
  double epsilon;
  DropoutMask mask;

  template <class Group>
  KETTE_HOST_DEVICE void operator()(Group g, std::int64_t row) const {
    using C = Compute<T>;
    const std::int64_t at = row * width;
    const T* s = x + at;
    if (residual) {
      const T *base = x + at, *added = residual + at;
      T* out = sum + at;
      if (mask.active()) {
        const auto keep = g.mask(mask, row, width);
        g.each(width, [=](std::int64_t j) { out[j] = T(C(base[j]) + C(keep(j)) * C(added[j])); });
      } else {
        g.each(width, [=](std::int64_t j) { out[j] = T(C(base[j]) + C(added[j])); });
      }
      s = out;
    }
    const C count = C(width);
    const C center = g.template sum<C>(width, [=](std::int64_t j) { return C(s[j]); }) / count;
    const C variance = g.template sum<C>(width, [=](std::int64_t j) {
      const C distance = C(s[j]) - center;
      return distance * distance;
    }) / count;
    const C scale = C(1) / scalar::sqrt(variance + C(epsilon));
    const T *gains = gain, *biases = bias;
    T* out = y + at;
    g.each(width, [=](std::int64_t j) {
      out[j] = T((C(s[j]) - center) * scale * C(gains[j]) + C(biases[j]));
    });
    g.once([=, this] {
      mean[row] = center;
      rstd[row] = scale;
    });
  }
};

/// With n_j = (s_j - mean) * rstd and d_j = gain_j * dy_j:
///   ds_j = rstd * (d_j - mean(d) - n_j * mean(d * n)),   dx (+)= ds,   dr = dropout mask * ds
/// dx may be dy, and then does not add.
template <class T>
struct ResidualLayerNormBackward {
  using Element = T;
  const T *s, *dy, *gain;
  const Compute<T>*mean, *rstd;
  T* dx;
  bool adds;     // to what is in dx
  T* dresidual;  // may be null (no residual, or no dropout: then it is ds)
  std::int64_t width;
  DropoutMask mask;

  template <class Group>
  KETTE_HOST_DEVICE void operator()(Group g, std::int64_t row) const {
    using C = Compute<T>;
    const std::int64_t at = row * width;
    const T *in = s + at, *upstream = dy + at, *gains = gain;
    const C center = mean[row], scale = rstd[row], count = C(width);
    const C mean_d = g.template sum<C>(width, [=](std::int64_t j) {
      return C(gains[j]) * C(upstream[j]);
    }) / count;
    const C mean_dn = g.template sum<C>(width, [=](std::int64_t j) {
      return C(gains[j]) * C(upstream[j]) * (C(in[j]) - center) * scale;
    }) / count;
    const auto ds = [=](std::int64_t j) {
      const C n = (C(in[j]) - center) * scale;
      return scale * (C(gains[j]) * C(upstream[j]) - mean_d - n * mean_dn);
    };
    if (dresidual) {
      const auto keep = g.mask(mask, row, width);
      T* dropped = dresidual + at;
      g.each(width, [=](std::int64_t j) { dropped[j] = T(C(keep(j)) * ds(j)); });
    }
    T* out = dx + at;
    if (adds) {
      g.each(width, [=](std::int64_t j) { out[j] = T(C(out[j]) + ds(j)); });
    } else {
      g.each(width, [=](std::int64_t j) { out[j] = T(ds(j)); });
    }
  }
};

/// dgain_j = sum over rows of dy_ij * n_ij,   dbias_j = sum over rows of dy_ij
template <class T>
struct LayerNormColumns {
  using Element = T;
  static constexpr int kSums = 2;
  const T *s, *dy;
  const Compute<T>*mean, *rstd;
  std::int64_t width;

  KETTE_HOST_DEVICE auto row_terms(std::int64_t row) const {
    using C = Compute<T>;
    const T *in = s + row * width, *upstream = dy + row * width;
    const C center = mean[row], scale = rstd[row];
    return std::tuple{
        [=](std::int64_t j) { return C(upstream[j]) * ((C(in[j]) - center) * scale); },
        [=](std::int64_t j) { return C(upstream[j]); }};
  }
};

}  // namespace kette::rows
