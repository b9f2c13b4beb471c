// Writes the keys and values of rows to a cache (see CachePlaces in tensor/decoding.h):
//   cache[table[lines[r]][positions[r]]] = x[r]
#pragma once

#include <array>

#include "tensor/scalar.h"

namespace kette::rows {

template <class T>
struct WriteToCache {
  using Element = T;
  const T* x;
  std::int64_t stride;  // of x's rows
  const std::int32_t *table, *lines, *positions;
  std::int64_t table_width;
  T* cache;
  std::int64_t width;

  std::array<const void*, 3> addresses() const { return {x, x + stride, cache}; }

  template <class Group>
  KETTE_HOST_DEVICE void operator()(Group g, std::int64_t row) const {
    const std::int64_t slot = table[lines[row] * table_width + positions[row]];
    const auto in = g.read(x + row * stride, width);
    auto out = g.write(cache + slot * width, width);
    g.each(width, [&](auto j) { out[j] = in[j]; });
    g.store(out, cache + slot * width, width);
  }
};

}  // namespace kette::rows
