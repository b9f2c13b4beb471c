// The inner kernel of products with prepacked weights: a few rows of x times a panel of kPanel
// columns of W^T,
//   out[i, j] = start[i, j] + sum_p x[i, p] panel[p, j]
// with all sums in registers. x is read in place; the panel, [depth, kPanel], stays in the L2 cache
// for all rows. A wide tile of few rows needs fewer loads per multiply-add than a square one: 10
// for 24. Each element is summed in the order of p in any tile, so a row's bits do not depend on
// the other rows.
//
// A panel may be bf16. Then its vectors are stored in pairs: a word has a lane of the first vector
// in its lower half and the same lane of the second in its upper half, so one load and two
// instructions widen both.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "tensor/cpu/vector.h"
#include "tensor/matrix_view.h"

namespace kette::cpu {

inline constexpr int kPanelVectors = kVectorRegisters == 32 ? 4 : 2;
inline constexpr int kPanel = kPanelVectors * Simd<float>::kLanes;
inline constexpr int kPanelRows = 6;
/// This many rows and columns of x stay in the L2 cache for all panels.
inline constexpr std::int64_t kBlockRows = 40 * kPanelRows, kBlockDepth = 512;
/// Multiply-adds here per operation that cpu::kParallelWork counts, in equal time.
inline constexpr std::int64_t kMultiplyAddsPerOperation = 16;

/// The index of a column among kPanel elements.
template <class Weight>
constexpr std::int64_t place_of(std::int64_t column) {
  if constexpr (std::is_same_v<Weight, float>) {
    return column;
  } else {
    constexpr std::int64_t kLanes = Simd<float>::kLanes;
    const std::int64_t vector = column / kLanes, lane = column % kLanes;
    return (vector / 2 * kLanes + lane) * 2 + vector % 2;
  }
}

using PanelVectors = Simd<float>::Vector[kPanelVectors];

inline void load_columns(const float* from, PanelVectors& columns) {
#pragma GCC unroll 4
  for (int v = 0; v < kPanelVectors; ++v) {
    columns[v] = Simd<float>::load(from + v * Simd<float>::kLanes);
  }
}

inline void load_columns(const BFloat16* from, PanelVectors& columns) {
  typedef std::uint32_t Words __attribute__((vector_size(kVectorBytes)));
#pragma GCC unroll 2
  for (int v = 0; v < kPanelVectors; v += 2) {
    Words pairs;
    std::memcpy(&pairs, from + v * Simd<float>::kLanes, sizeof pairs);
    columns[v] = std::bit_cast<Simd<float>::Vector>(pairs << 16);
    columns[v + 1] = std::bit_cast<Simd<float>::Vector>(pairs & 0xffff0000u);
  }
}

/// Prefetches the part of a panel that a single row needs a little later. With bf16 the processor
/// by itself has too few bytes in flight, as it widens them between loads; with f32 it is faster
/// without.
inline void prefetch_columns(const BFloat16* from) {
  constexpr int kAhead = 3072 / sizeof(BFloat16), kLine = 64 / sizeof(BFloat16);
#pragma GCC unroll 4
  for (int column = 0; column < kPanel; column += kLine) __builtin_prefetch(from + kAhead + column);
}

template <int rows, class Weight>
void multiply_panel_rows(std::int64_t depth, RowsView<const float> x, const Weight* panel,
                         RowsView<const float> start, float* out, std::int64_t out_stride) {
  using S = Simd<float>;
  S::Vector sums[rows][kPanelVectors];
#pragma GCC unroll 6
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < kPanelVectors; ++v) {
      sums[i][v] = S::load(start.data + i * start.stride + v * S::kLanes);
    }
  }
  for (std::int64_t p = 0; p < depth; ++p) {
    PanelVectors columns;
    load_columns(panel + p * kPanel, columns);
    if constexpr (rows == 1 && std::is_same_v<Weight, BFloat16>) {
      prefetch_columns(panel + p * kPanel);
    }
#pragma GCC unroll 6
    for (int i = 0; i < rows; ++i) {
      const float element = x.data[i * x.stride + p];
#pragma GCC unroll 4
      for (int v = 0; v < kPanelVectors; ++v) sums[i][v] += element * columns[v];
    }
  }
#pragma GCC unroll 6
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < kPanelVectors; ++v) {
      S::store(out + i * out_stride + v * S::kLanes, sums[i][v]);
    }
  }
}

/// All kPanel columns of `rows` rows.
template <class Weight>
void multiply_panel(std::int64_t rows, std::int64_t depth, RowsView<const float> x,
                    const Weight* panel, RowsView<const float> start, float* out,
                    std::int64_t out_stride) {
  std::int64_t row = 0;
  const auto tile = [&]<int count>(std::integral_constant<int, count>) {
    multiply_panel_rows<count>(depth, x.from(row), panel, start.from(row), out + row * out_stride,
                               out_stride);
  };
  for (; row + kPanelRows <= rows; row += kPanelRows) {
    tile(std::integral_constant<int, kPanelRows>{});
  }
  switch (rows - row) {
    case 1:
      return tile(std::integral_constant<int, 1>{});
    case 2:
      return tile(std::integral_constant<int, 2>{});
    case 3:
      return tile(std::integral_constant<int, 3>{});
    case 4:
      return tile(std::integral_constant<int, 4>{});
    case 5:
      return tile(std::integral_constant<int, 5>{});
    default:
      return;
  }
}

}  // namespace kette::cpu
