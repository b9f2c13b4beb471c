// The gradient of each row's maximum: 0 except at the maximum.
#pragma once

#include "tensor/scalar.h"

namespace kette::rows {

/// y[row, columns[row]] = x[row], and 0 elsewhere.
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
