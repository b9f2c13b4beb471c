// Views of matrices in memory: parts of larger ones, or transposed. A view has no extents.
#pragma once

#include <cstdint>
#include <type_traits>

#include "tensor/dtype.h"

namespace kette {

/// Element (i, j) at data + i * row_stride + j * column_stride.
template <class T>
struct MatrixView {
  T* data = nullptr;
  std::int64_t row_stride = 0, column_stride = 1;

  template <class U, class = std::enable_if_t<std::is_same_v<U, const T>>>
  KETTE_HOST_DEVICE operator MatrixView<U>() const {
    return {data, row_stride, column_stride};
  }
  KETTE_HOST_DEVICE MatrixView transposed() const { return {data, column_stride, row_stride}; }
  /// The view that starts at another element.
  KETTE_HOST_DEVICE MatrixView from(std::int64_t row, std::int64_t column) const {
    return {data + row * row_stride + column * column_stride, row_stride, column_stride};
  }
};

/// A view with contiguous rows. The column stride of 1 is known at compile time, so that the
/// compiler can use vector loads and stores.
template <class T>
struct RowsView {
  T* data = nullptr;
  std::int64_t stride = 0;

  template <class U, class = std::enable_if_t<std::is_same_v<U, const T>>>
  KETTE_HOST_DEVICE operator RowsView<U>() const {
    return {data, stride};
  }
  KETTE_HOST_DEVICE operator MatrixView<const T>() const { return {data, stride, 1}; }
  KETTE_HOST_DEVICE MatrixView<const T> transposed() const { return {data, 1, stride}; }
  KETTE_HOST_DEVICE RowsView from(std::int64_t row, std::int64_t column = 0) const {
    return {data + row * stride + column, stride};
  }
  KETTE_HOST_DEVICE T* row(std::int64_t i) const { return data + i * stride; }
};

}  // namespace kette
