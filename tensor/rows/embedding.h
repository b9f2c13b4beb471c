// Dropout (Srivastava et al. 2014), inverted: y = mask * x with mask 0 or 1 / (1 - rate). The
// backward pass is the same function of dy with the same mask, drawn again. And position
// embeddings: y = x + table[position of the row]. x, y: [rows, width]; table: [positions, width]. And
// the gradient of a row's maximum, which is an element of each row.
#pragma once

#include <array>

#include "tensor/random.h"
#include "tensor/scalar.h"

namespace kette::rows {

template <class T>
struct Dropout {
  using Element = T;
  const T* x;
  T* y;
  std::int64_t width;
  DropoutMask mask;

  std::array<const void*, 2> addresses() const { return {x, y}; }

  template <class Group>
  KETTE_HOST_DEVICE void operator()(Group g, std::int64_t row) const {
    using C = Compute<T>;
    const auto in = g.read(x + row * width, width);
    auto out = g.write(y + row * width, width);
    const auto keep = g.mask(mask, row, width);
    g.each(width, [&](auto j) { out[j] = T(C(keep(j)) * C(in[j])); });
    g.store(out, y + row * width, width);
  }
};

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
    g.each(width, [&](auto j) { out[j] = T(C(in[j]) + C(position[j])); });
    g.store(out, y + row * width, width);
  }
};

/// y = scale * table[id of the row]: the embedding of Vaswani et al. 2017, section 3.4.
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
    const auto entry = g.read(table + ids[row] * width, width);
    auto out = g.write(y + row * width, width);
    const C factor = C(scale);
    g.each(width, [&](auto j) { out[j] = T(factor * C(entry[j])); });
    g.store(out, y + row * width, width);
  }
};

/// y = 0, but x's element of the row in its column.
template <class T>
struct PutInColumn {
  using Element = T;
  const T* x;                   // [rows]
  const std::int32_t* columns;  // [rows]
  T* y;
  std::int64_t width;

  template <class Group>
  KETTE_HOST_DEVICE void operator()(Group g, std::int64_t row) const {
    T* out = y + row * width;
    const T value = x[row];
    const std::int64_t column = columns[row];
    g.each(width, [=](std::int64_t j) { out[j] = j == column ? value : T(0); });
  }
};

}  // namespace kette::rows
