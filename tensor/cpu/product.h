// The f32 matrix product on all threads: C = alpha * A B + beta * C, for operands that lie
// anywhere, in f32 or bf16. B is copied once into panels that all threads read; the threads share
// out blocks of C. A's rows are read where they lie when that is cheap, else copied block by block, into panels, too.
// Each element is summed in the order of k whatever block it is in, so a row of C has the same bits
// for any number of threads and of other rows.
#pragma once

#include <cstdint>
#include <functional>

#include "tensor/matrix_view.h"

namespace kette::cpu {

struct ProductShape {
  std::int64_t m = 0, n = 0, k = 0;
};

/// Called for each finished block of C: rows [row, row + rows), columns [column, column + columns).
using FinishBlock = std::function<void(std::int64_t row, std::int64_t rows, std::int64_t column,
                                       std::int64_t columns)>;

/// T: float or BFloat16; of the strides of a and b one is 1. Inside a parallel region it runs on the calling thread alone.
template <class T>
void product(const ProductShape& shape, float alpha, MatrixView<const T> a, MatrixView<const T> b,
             float beta, float* c, std::int64_t ldc, const FinishBlock& finish = {});

}  // namespace kette::cpu
