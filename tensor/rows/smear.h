// Smeared keys (Olsson et al. 2022, "In-context Learning and Induction Heads", argument 2): in
// every head h a part of the previous key is mixed into each key,
//   k'_t = g_h k_t + (1 - g_h) k_(t-1),   k'_0 = k_0
// so that a head can match on a token's predecessor without an earlier layer. With d_t the gradient
// of k'_t:
//   dk_t = (t > 0 ? g_h : 1) d_t + (1 - g_h) d_(t+1)
//   dg_h = sum over t > 0, and over the head's elements, of d_t (k_t - k_(t-1))
// x, y: [rows, 3 * width] as [queries, keys, values]; queries and values are copied.
#pragma once

#include "tensor/scalar.h"

namespace kette::rows {

/// The previous key is in the row before or, with a cache, in the slot that CachePlaces
/// (tensor/decoding.h) gives.
template <class T>
struct Smear {
  using Element = T;
  const T *x, *gates;             // gates: [heads]
  const std::int32_t* positions;  // of each row in its sequence
  T* y;
  std::int64_t width, head_width;
  const T* past = nullptr;  // [slots, width]; null: there is no cache
  const std::int32_t *table = nullptr, *lines = nullptr;
  std::int64_t table_width = 0;

  template <class Group>
  KETTE_HOST_DEVICE void operator()(Group g, std::int64_t row) const {
    using C = Compute<T>;
    const std::int64_t keys = width, values = 2 * width, of_head = head_width;
    const T *in = x + row * 3 * width, *before = key_before(row), *gate = gates;
    T* out = y + row * 3 * width;
    g.each(width, [=](std::int64_t j) {
      out[j] = in[j];
      out[values + j] = in[values + j];
    });
    if (!before) {
      g.each(width, [=](std::int64_t j) { out[keys + j] = in[keys + j]; });
      return;
    }
    g.each(width, [=](std::int64_t j) {
      const C own = C(gate[j / of_head]);
      out[keys + j] = own * C(in[keys + j]) + (C(1) - own) * C(before[j]);
    });
  }

 private:
  /// Null if there is none.
  KETTE_HOST_DEVICE const T* key_before(std::int64_t row) const {
    if (positions[row] == 0) return nullptr;
    if (past) return past + table[lines[row] * table_width + positions[row] - 1] * width;
    return row > 0 ? x + (row - 1) * 3 * width + width : nullptr;
  }
};

/// The sum over rows is of d_t (k_t - k_(t-1)), elementwise.
template <class T>
struct SmearBackward {
  using Element = T;
  static constexpr int kSums = 1;
  const T *x, *gates, *dy;
  const std::int32_t* positions;
  T* dx;
  std::int64_t width, head_width, rows;

  template <class Group, class Sums>
  KETTE_HOST_DEVICE void operator()(Group g, std::int64_t row, Sums& sums) const {
    using C = Compute<T>;
    const std::int64_t stride = 3 * width, keys = width, values = 2 * width, of_head = head_width;
    const bool has_before = row > 0 && positions[row] > 0;
    const bool has_after = row + 1 < rows && positions[row + 1] > 0;
    const T *d = dy + row * stride, *in = x + row * stride, *gate = gates;
    T* out = dx + row * stride;
    g.each(width, [=](std::int64_t j) {
      out[j] = d[j];
      out[values + j] = d[values + j];
      const C own = C(gate[j / of_head]);
      C sum = C(d[keys + j]);
      if (has_before) sum *= own;
      if (has_after) sum += (C(1) - own) * C(d[stride + keys + j]);
      out[keys + j] = sum;
    });
    if (!has_before) return;
    auto&& dgates = sums[0];
    g.each(width, [&](std::int64_t j) {
      dgates[j] += C(d[keys + j]) * (C(in[keys + j]) - C(in[keys + j - stride]));
    });
  }
};

}  // namespace kette::rows
