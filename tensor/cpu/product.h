// The matrix product with f32 sums, on all threads: C = alpha * A B + beta * C, for operands in f32
// or bf16 with any strides. B is copied once into panels that all threads read; the threads share
// the blocks of C. A's rows are read in place if that is cheap, else copied block by block into
// panels. Each element is summed in the order of k in any block, so a row of C has the same bits
// for any number of threads and of other rows.
#pragma once

#include <cstdint>
#include <functional>

#include "tensor/matrix_view.h"

namespace kette::cpu {

struct ProductShape {
  std::int64_t m = 0, n = 0, k = 0;
};

/// Rows [row, row + rows) and columns [column, column + columns) of C.
struct ProductBlock {
  std::int64_t row, rows, column, columns;
  float* values;  // from its first element on
  std::int64_t ld;
};
/// Called for each finished block.
using FinishBlock = std::function<void(const ProductBlock&)>;

/// How bf16 is multiplied: widened to f32, in pairs by vector instructions (bf16_pair.h), or in
/// squares by a matrix unit (matrix_unit.h).
enum class Bf16Products : std::uint8_t { widened, in_pairs, in_squares };
/// In squares if there is a matrix unit (Intel's AMX). In pairs if the CPU does a pair as fast as
/// an f32, which doubles the rate of products: AMD from Zen 4 on. Sapphire and Emerald Rapids have
/// the instruction, too, but at a quarter of that rate. The environment variable KETTE_BF16 ("amx",
/// "pairs" or "f32") overrides this; an Error if the CPU cannot.
Bf16Products bf16_products();
/// Whether product() can multiply so on this CPU. In squares: with any kernels for AVX-512, but
/// emulated and slow without the unit, for tests.
bool can_multiply(Bf16Products bf16);

/// T: float or BFloat16; one stride of a, and one of b, is 1. Without `c` (then beta = 0) only
/// `finish` sees the blocks, while they are still in cache. Inside a parallel region it runs on the
/// calling thread only.
template <class T>
void product(const ProductShape& shape, float alpha, MatrixView<const T> a, MatrixView<const T> b,
             float beta, float* c, std::int64_t ldc, const FinishBlock& finish = {},
             Bf16Products bf16 = bf16_products());

}  // namespace kette::cpu
