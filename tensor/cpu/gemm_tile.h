// The innermost part of the f32 matrix product: a tile of C small enough for the registers,
//   C[i, j] = keep * C[i, j] + alpha * sum_p A[i, p] B[p, j]        i < rows, j < kTileColumns
// For each p two vectors of B are loaded and one element of A per row is broadcast, so that there
// are two multiply-adds for each load. A lies anywhere (element (i, p) at i * row_stride + p *
// column_stride); B is packed: row p of the panel at p * kTileColumns. Each element is summed in
// the order of p, whatever tile it is part of. The scheme is that of Goto and van de Geijn,
// "Anatomy of High-Performance Matrix Multiplication" (2008).
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "tensor/cpu/vector.h"

namespace kette::cpu {

inline constexpr int kTileRows = kVectorRegisters == 32 ? 12 : 6;
inline constexpr int kTileColumns = 2 * Simd<float>::kLanes;

struct TileOperand {
  const float* data = nullptr;
  std::int64_t row_stride = 0, column_stride = 0;
};

template <int rows>
void multiply_tile(std::int64_t depth, TileOperand a, const float* b, float alpha, float keep,
                   float* c, std::int64_t ldc) {
  using S = Simd<float>;
  // C may be far away; it is wanted only after the loop.
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i) {
    __builtin_prefetch(c + i * ldc, 1);
    __builtin_prefetch(c + i * ldc + kTileColumns - 1, 1);
  }
  S::Vector sums[rows][2];
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i) sums[i][0] = sums[i][1] = S::Vector{};
  for (std::int64_t p = 0; p < depth; ++p) {
    const S::Vector left = S::load(b + p * kTileColumns);
    const S::Vector right = S::load(b + p * kTileColumns + S::kLanes);
    const float* column = a.data + p * a.column_stride;
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
      const float element = column[i * a.row_stride];
      sums[i][0] += element * left;
      sums[i][1] += element * right;
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i) {
    float* row = c + i * ldc;
    for (int half = 0; half < 2; ++half) {
      S::Vector value = alpha * sums[i][half];
      if (keep != 0) value += keep * S::load(row + half * S::kLanes);
      S::store(row + half * S::kLanes, value);
    }
  }
}

using MultiplyTile = void (*)(std::int64_t, TileOperand, const float*, float, float, float*,
                              std::int64_t);

/// multiply_tile<rows> by its number of rows, 1 .. kTileRows.
inline MultiplyTile tile_kernel(int rows) {
  static constexpr auto kernels = []<int... index>(std::integer_sequence<int, index...>) {
    return std::array<MultiplyTile, sizeof...(index)>{&multiply_tile<index + 1>...};
  }
  (std::make_integer_sequence<int, kTileRows>{});
  return kernels[static_cast<std::size_t>(rows - 1)];
}

}  // namespace kette::cpu
