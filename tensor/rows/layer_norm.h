// Layer norm over the last axis, with the residual sum and dropout of a Transformer sub-layer in
// the same pass:
//   s = x + dropout(r)            (r may be absent: then s = x)
//   y = gain * (s - mean(s)) * rstd(s) + bias,   rstd = 1 / sqrt(var(s) + epsilon)
// Vaswani et al. 2017, section 5.4 (residual dropout); Ba et al. 2016 (layer norm). The variance
// takes two passes over the row, since the one-pass form loses digits when |mean| >> 1. mean and
// rstd are kept in f32 or f64. x, r, s, y: [rows, width]; gain, bias (may be absent): [width];
// mean, rstd: [rows].
#pragma once

#include <array>

#include "tensor/random.h"
#include "tensor/scalar.h"

namespace kette::rows {

template <class T>
struct ResidualLayerNorm {
  using Element = T;
  const T *x, *residual;  // residual may be null
  const T *gain, *bias;   // bias may be null
  T *sum, *y;             // sum may be null when there is no residual
  Compute<T>*mean, *rstd;
  std::int64_t width;
  double epsilon;
  DropoutMask mask;

  std::array<const void*, 6> addresses() const { return {x, residual, gain, bias, sum, y}; }

  template <class Group>
  KETTE_HOST_DEVICE void operator()(Group g, std::int64_t row) const {
    using C = Compute<T>;
    const std::int64_t at = row * width;
    if (!residual) return normalize(g, row, g.read(x + at, width));
    const auto base = g.read(x + at, width), added = g.read(residual + at, width);
    auto s = g.write(sum + at, width);
    if (mask.active()) {
      const auto keep = g.mask(mask, row, width);
      g.each(width, [&](auto j) { s[j] = C(base[j]) + C(keep(j)) * C(added[j]); });
    } else {
      g.each(width, [&](auto j) { s[j] = C(base[j]) + C(added[j]); });
    }
    g.store(s, sum + at, width);
    normalize(g, row, s);
  }

 private:
  template <class Group, class Row>
  KETTE_HOST_DEVICE void normalize(Group g, std::int64_t row, const Row& s) const {
    using C = Compute<T>;
    const C count = C(width);
    const C center = g.template sum<C>(width, [&](auto j) { return C(s[j]); }) / count;
    const C variance = g.template sum<C>(width, [&](auto j) {
      const C distance = C(s[j]) - center;
      return distance * distance;
    }) / count;
    const C scale = C(1) / scalar::sqrt(variance + C(epsilon));
    const auto gains = g.read(gain, width);
    auto out = g.write(y + row * width, width);
    if (bias) {
      const auto biases = g.read(bias, width);
      g.each(width,
             [&](auto j) { out[j] = (C(s[j]) - center) * scale * C(gains[j]) + C(biases[j]); });
    } else {
      g.each(width, [&](auto j) { out[j] = (C(s[j]) - center) * scale * C(gains[j]); });
    }
    g.store(out, y + row * width, width);
    g.once([&] {
      mean[row] = center;
      rstd[row] = scale;
    });
  }
};

/// With n_j = (s_j - mean) * rstd and d_j = gain_j * dy_j:
///   ds_j (+)= rstd * (d_j - mean(d) - n_j * mean(d * n)),   dr = dropout mask * ds
///   dgain_j = sum over rows of dy_j * n_j,   dbias_j = sum over rows of dy_j
/// ds may be dy; then `adds` is false.
template <class T>
struct ResidualLayerNormBackward {
  using Element = T;
  static constexpr int kSums = 2;  // dgain, dbias
  const T *s, *dy, *gain;
  const Compute<T>*mean, *rstd;
  T* ds;
  bool adds;     // to what is in ds
  T* dresidual;  // may be null (no residual, or no dropout: then it is ds)
  std::int64_t width;
  DropoutMask mask;

  std::array<const void*, 5> addresses() const { return {s, dy, gain, ds, dresidual}; }

  template <class Group, class Sums>
  KETTE_HOST_DEVICE void operator()(Group g, std::int64_t row, Sums& sums) const {
    using C = Compute<T>;
    const std::int64_t at = row * width;
    const auto in = g.read(s + at, width), upstream = g.read(dy + at, width);
    const auto gains = g.read(gain, width);
    const C center = mean[row], scale = rstd[row], count = C(width);
    auto&& dgain = sums[0];
    auto&& dbias = sums[1];
    g.each(width, [&](auto j) {
      dgain[j] += C(upstream[j]) * ((C(in[j]) - center) * scale);
      dbias[j] += C(upstream[j]);
    });
    const C mean_d =
        g.template sum<C>(width, [&](auto j) { return C(gains[j]) * C(upstream[j]); }) / count;
    const C mean_dn = g.template sum<C>(width, [&](auto j) {
      return C(gains[j]) * C(upstream[j]) * (C(in[j]) - center) * scale;
    }) / count;
    const auto gradient = [&](auto j) {
      const C n = (C(in[j]) - center) * scale;
      return scale * (C(gains[j]) * C(upstream[j]) - mean_d - n * mean_dn);
    };
    auto out = adds ? g.update(ds + at, width) : g.write(ds + at, width);
    if (adds) {
      g.each(width, [&](auto j) { out[j] = C(out[j]) + gradient(j); });
    } else {
      g.each(width, [&](auto j) { out[j] = gradient(j); });
    }
    g.store(out, ds + at, width);
    if (!dresidual) return;
    const auto keep = g.mask(mask, row, width);
    auto dropped = g.write(dresidual + at, width);
    g.each(width, [&](auto j) { dropped[j] = C(keep(j)) * C(out[j]); });
    g.store(dropped, dresidual + at, width);
  }
};

}  // namespace kette::rows
