// Table lookups. Token embeddings: y = scale * table[id of the row] (Vaswani et al. 2017, section
// 3.4), or 0 for an id below 0. Position embeddings: y = x + table[position of the row]. x, y:
// [rows, width]; table: [entries, width].
#pragma once

#include <array>

#include "tensor/scalar.h"

namespace kette::rows {

template <class T>
struct AddPositions {
  using Element = T;
  const T *x, *table;
  const std::int32_t* positions;  // [rows]
  T* y;
  std::int64_t width;

  std::array<const void*, 3> addresses() const { return {x, table, y}; }

  template <class Group>
  KETTE_HOST_DEVICE void operator()(Group g, std::int64_t row) const {
    using C = Compute<T>;
    const auto in = g.read(x + row * width, width);
    const auto position = g.read(table + positions[row] * width, width);
    auto out = g.write(y + row * width, width);
    g.each(width, [&](auto j) { out[j] = C(in[j]) + C(position[j]); });
    g.store(out, y + row * width, width);
  }
};

template <class T>
struct Gather {
  using Element = T;
  const T* table;
  const std::int32_t* ids;  // [rows]
  T* y;
  std::int64_t width;
  double scale;

  std::array<const void*, 2> addresses() const { return {table, y}; }

  template <class Group>
  KETTE_HOST_DEVICE void operator()(Group g, std::int64_t row) const {
    using C = Compute<T>;
    auto out = g.write(y + row * width, width);
    if (ids[row] < 0) {  // no row is read: the table may have none, and 0 times a NaN is one
      g.each(width, [&](auto j) { out[j] = C(0); });
    } else {
      const auto entry = g.read(table + ids[row] * width, width);
      const C factor = C(scale);
      g.each(width, [&](auto j) { out[j] = factor * C(entry[j]); });
    }
    g.store(out, y + row * width, width);
  }
};

}  // namespace kette::rows
