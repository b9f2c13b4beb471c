// The inner kernel of matrix products: a tile of C small enough for the registers,
//   C[i, j] = beta * C[i, j] + alpha * sum_p A[i, p] B[p, j]        i < rows, j < vectors * lanes
// For each p it loads the vectors of B and broadcasts one element of A per row: with two vectors,
// two multiply-adds per load. Elements are at i * row_stride + p * column_stride in A and at
// p * ldb + j in B. Each element of C is summed in the order of p in any tile. The elements of A
// and B may be pairs of bf16 (bf16_pair.h). The scheme is that of Goto and van de Geijn, "Anatomy
// of High-Performance Matrix Multiplication" (2008).
#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "tensor/cpu/bf16_pair.h"
#include "tensor/matrix_view.h"

namespace kette::cpu {

/// Rows of a tile of two vectors; a tile of one vector may have twice as many. Of 32 registers, 24
/// hold sums.
inline constexpr int kTileRows = kVectorRegisters == 32 ? 12 : kVectorBytes == 32 ? 6 : 4;
template <class T>
inline constexpr int kTileWidth = 2 * Simd<T>::kLanes;

/// `a` is a reference: a copy on the stack would be read in other widths than it was written in,
/// and would so wait for all stores of the previous tile.
template <class Factor, int rows, int vectors, class Sum = typename Factors<Factor>::Sum>
void multiply_tile(std::int64_t depth, const MatrixView<const Factor>& a, const Factor* b,
                   std::int64_t ldb, Sum alpha, Sum beta, Sum* c, std::int64_t ldc) {
  using S = Simd<Sum>;
  typename S::Vector sums[rows][vectors];
#pragma GCC unroll 24
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) sums[i][v] = typename S::Vector{};
  }
  for (std::int64_t p = 0; p < depth; ++p) {
    typename Factors<Factor>::Vector row[vectors];
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      std::memcpy(&row[v], b + p * ldb + v * S::kLanes, sizeof row[v]);
    }
    const Factor* column = a.data + p * a.column_stride;
#pragma GCC unroll 24
    for (int i = 0; i < rows; ++i) {
      const Factor& element = column[i * a.row_stride];
#pragma GCC unroll 2
      for (int v = 0; v < vectors; ++v) {
        Factors<Factor>::add_products(sums[i][v], element, row[v]);
      }
    }
  }
#pragma GCC unroll 24
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 2
    for (int v = 0; v < vectors; ++v) {
      Sum* to = c + i * ldc + v * S::kLanes;
      typename S::Vector value = alpha * sums[i][v];
      if (beta != 0) value += beta * S::load(to);
      S::store(to, value);
    }
  }
}

template <class Factor, class Sum = typename Factors<Factor>::Sum>
using MultiplyTile = void (*)(std::int64_t, const MatrixView<const Factor>&, const Factor*,
                              std::int64_t, Sum, Sum, Sum*, std::int64_t);

/// multiply_tile for a number of rows: 1 .. 2 * kTileRows for one vector, 1 .. kTileRows for two.
template <class Factor, int vectors>
MultiplyTile<Factor> tile_kernel(std::int64_t rows) {
  static constexpr auto kernels = []<int... index>(std::integer_sequence<int, index...>) {
    return std::array<MultiplyTile<Factor>, sizeof...(index)>{
        &multiply_tile<Factor, index + 1, vectors>...};
  }
  (std::make_integer_sequence<int, 2 * kTileRows / vectors>{});
  return kernels[rows - 1];
}

}  // namespace kette::cpu
