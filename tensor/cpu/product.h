// The f32 matrix product on all threads: C = alpha * A B + beta * C, for operands that lie
// anywhere, in f32 or bf16. B is copied once into panels that all threads read; the threads share
// out blocks of C. A's rows are read where they lie when that is cheap, else copied block by block, into panels, too.
// Each element is summed in the order of k whatever block it is in, so a row of C has the same bits
// for any number of threads and of other rows.
#pragma once

#include <cstdint>
#include <functional>

#include "tensor/dtype.h"

namespace kette::cpu {

/// Element (i, j) at data + i * row_stride + j * column_stride; one of the strides is 1.
template <class T>
struct Operand {
  const T* data = nullptr;
  std::int64_t row_stride = 0, column_stride = 0;

  Operand transposed() const { return {data, column_stride, row_stride}; }
  /// Starts at another element.
  Operand from(std::int64_t row, std::int64_t column) const {
    return {data + row * row_stride + column * column_stride, row_stride, column_stride};
  }
};

struct ProductShape {
  std::int64_t m = 0, n = 0, k = 0;
};

/// Called for each finished block of C: rows [row, row + rows), columns [column, column + columns).
using FinishBlock = std::function<void(std::int64_t row, std::int64_t rows, std::int64_t column,
                                       std::int64_t columns)>;

/// T: float or BFloat16. Inside a parallel region it runs on the calling thread alone.
template <class T>
void product(const ProductShape& shape, float alpha, Operand<T> a, Operand<T> b, float beta,
             float* c, std::int64_t ldc, const FinishBlock& finish = {});

}  // namespace kette::cpu
