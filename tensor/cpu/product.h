// The matrix product with f32 sums, on all threads: C = alpha * A B + beta * C, for operands that lie
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

/// Rows [row, row + rows) and columns [column, column + columns) of C.
struct ProductBlock {
  std::int64_t row, rows, column, columns;
  float* values;  // from its first element on
  std::int64_t ld;
};
/// Called for each finished block.
using FinishBlock = std::function<void(const ProductBlock&)>;

/// How bf16 is multiplied: widened to f32, in pairs by vectors (bf16_pair.h), or in squares by a matrix unit
/// (matrix_unit.h).
enum class Bf16Products : std::uint8_t { widened, in_pairs, in_squares };
/// By a matrix unit where there is one (Intel's AMX). In pairs where the CPU multiplies them at the rate of f32s, which
/// makes twice the products: as AMD's do from Zen 4 on. Sapphire and Emerald Rapids have that instruction, too, but at a
/// quarter of that rate. The environment variable KETTE_BF16, "amx", "pairs" or "f32", decides otherwise; what the CPU
/// cannot do is an Error.
Bf16Products bf16_products();
/// Whether product() multiplies so here, and not widened: in squares with any kernels for AVX-512, but slowly without
/// the unit, for tests.
bool can_multiply(Bf16Products bf16);

/// T: float or BFloat16; of the strides of a and b one is 1. Without a `c` (then beta = 0) `finish` alone sees the
/// blocks, while they are still in cache. Inside a parallel region it runs on the calling thread alone.
template <class T>
void product(const ProductShape& shape, float alpha, MatrixView<const T> a, MatrixView<const T> b,
             float beta, float* c, std::int64_t ldc, const FinishBlock& finish = {},
             Bf16Products bf16 = bf16_products());

}  // namespace kette::cpu
