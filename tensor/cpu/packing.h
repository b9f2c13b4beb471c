// Packs the operands of a product as its tiles read them (gemm_tile.h, matrix_unit.h): factors, f32
// or pairs of bf16, in panels. B: panels of kColumns columns, row after row of factors.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "tensor/ceil_div.h"
#include "tensor/cpu/gemm_tile.h"
#include "tensor/matrix_view.h"

namespace kette::cpu {

inline constexpr int kColumns = kTileWidth<float>;
/// Columns of B for one block of C.
inline constexpr std::int64_t kBlockColumns = 512;

/// The elements along the depth in one factor.
template <class Factor>
constexpr std::int64_t kSpan = std::is_same_v<Factor, Bf16Pair> ? 2 : 1;

/// The factor at `from`, with `left` elements left along the depth, `stride` apart; 0 past the end.
template <class Factor, class T>
Factor load_factor(const T* from, std::int64_t stride, std::int64_t left) {
  if constexpr (std::is_same_v<Factor, Bf16Pair>) {
    const std::uint32_t low = from[0].bits, high = left > 1 ? from[stride].bits : 0;
    return Bf16Pair{low | high << 16};
  } else {
    return float(*from);
  }
}

/// A vector of factors along the depth, from contiguous elements.
template <class Factor, class T>
typename Simd<float>::Vector load_along(const T* from) {
  if constexpr (std::is_same_v<Factor, Bf16Pair>) {
    return Simd<float>::load(reinterpret_cast<const float*>(from));  // already pairs in memory
  } else {
    return load_floats(from);
  }
}

static_assert(kTileRows <= Simd<float>::kLanes || kTileRows % Simd<float>::kLanes == 0,
              "transpositions make a panel of A: one, which may reach past it, or whole ones");

/// The factors of `rows` <= kLanes rows of `depth` elements: to[p * to_stride + i] is factor p of
/// row i. Writes whole vectors, for which `to` needs room, with zeros up to kLanes rows; a later p
/// may overwrite some of them.
template <class Factor, class T>
void pack_transposed(const T* from, std::int64_t from_stride, std::int64_t rows, std::int64_t depth,
                     Factor* to, std::int64_t to_stride) {
  using S = Simd<float>;  // words of any content
  constexpr std::int64_t span = kSpan<Factor>;
  S::Vector square[S::kLanes];
  std::int64_t p = 0;
  for (; (p + S::kLanes) * span <= depth; p += S::kLanes) {
    for (int i = 0; i < S::kLanes; ++i) {
      square[i] = i < rows ? load_along<Factor>(from + i * from_stride + p * span) : S::Vector{};
    }
    S::transpose(square);
    for (int i = 0; i < S::kLanes; ++i)
      std::memcpy(to + (p + i) * to_stride, &square[i], sizeof square[i]);
  }
  for (; p * span < depth; ++p) {
    for (int i = 0; i < S::kLanes; ++i) {
      to[p * to_stride + i] =
          i < rows ? load_factor<Factor>(from + i * from_stride + p * span, 1, depth - p * span)
                   : Factor{};
    }
  }
}

/// Packs rows of B into panels `distance` apart, the last padded with zeros. For contiguous rows:
/// each is read once, whole.
template <class Factor, class T>
void pack_b_rows(const MatrixView<const T>& b, std::int64_t rows, std::int64_t columns, Factor* out,
                 std::int64_t distance) {
  constexpr std::int64_t span = kSpan<Factor>;
  for (std::int64_t p = 0; p * span < rows; ++p) {
    const T* row = b.data + p * span * b.row_stride;
    const std::int64_t left = rows - p * span;
    Factor* panel = out + p * kColumns;
    std::int64_t j = 0;
    for (; j + kColumns <= columns; j += kColumns, panel += distance) {
#pragma omp simd
      for (int lane = 0; lane < kColumns; ++lane) {
        panel[lane] = load_factor<Factor>(row + j + lane, b.row_stride, left);
      }
    }
    if (j == columns) continue;
    for (int lane = 0; lane < kColumns; ++lane) {
      panel[lane] =
          j + lane < columns ? load_factor<Factor>(row + j + lane, b.row_stride, left) : Factor{};
    }
  }
}

/// The same for one panel, for contiguous columns.
template <class Factor, class T>
void pack_b_columns(const MatrixView<const T>& b, std::int64_t rows, std::int64_t columns,
                    Factor* out) {
  constexpr std::int64_t kLanes = Simd<float>::kLanes;
  for (std::int64_t j = 0; j < kColumns; j += kLanes) {
    pack_transposed(b.data + j * b.column_stride, b.column_stride,
                    std::clamp<std::int64_t>(columns - j, 0, kLanes), rows, out + j, kColumns);
  }
}

/// Packs all of B, shared among the threads of a parallel region. A panel has `depth` rows of
/// factors, at least those of `rows` rows; the rest are zeros.
template <class Factor, class T>
void pack_b(const MatrixView<const T>& b, std::int64_t rows, std::int64_t columns,
            std::int64_t depth, Factor* out) {
  constexpr std::int64_t kHigh = 64;  // rows of a part, if rows are contiguous
  const bool is_by_rows = b.column_stride == 1;
  const std::int64_t high = is_by_rows ? kHigh : std::max<std::int64_t>(1, rows),
                     wide = is_by_rows ? kBlockColumns : kColumns;
  const std::int64_t down = ceil_div(rows, high), across = ceil_div(columns, wide),
                     filled = ceil_div(rows, kSpan<Factor>);
#pragma omp for schedule(static)
  for (std::int64_t index = 0; index < down * across; ++index) {
    const std::int64_t p = index % down * high, j = index / down * wide;
    const MatrixView<const T> part = b.from(p, j);
    const std::int64_t part_columns = std::min(wide, columns - j);
    Factor* panel = out + j * depth + p / kSpan<Factor> * kColumns;
    if (is_by_rows) {
      pack_b_rows(part, std::min(high, rows - p), part_columns, panel, depth * kColumns);
    } else {
      pack_b_columns(part, rows, part_columns, panel);
    }
    if (p + high < rows) continue;
    for (std::int64_t column = j; column < j + part_columns; column += kColumns) {
      std::fill_n(out + column * depth + filled * kColumns, (depth - filled) * kColumns, Factor{});
    }
  }
}

/// How far a vector written at the last column of a panel of A may reach past the panel.
inline constexpr std::int64_t kSlack = Simd<float>::kLanes;
/// The most rows of A packed at a time.
inline constexpr std::int64_t kMostRows = 16 * kTileRows;
// Rows far apart are prefetched this many rows ahead; the processor does not predict them.
inline constexpr std::int64_t kAhead = 8;

/// At most kMostRows rows of A in panels of kTileRows rows, column after column of factors. A last
/// panel with fewer rows keeps this distance between columns.
template <class Factor, class T>
void pack_a_panels(const MatrixView<const T>& a, std::int64_t rows, std::int64_t depth,
                   Factor* out) {
  constexpr std::int64_t span = kSpan<Factor>;
  const std::int64_t factors = ceil_div(depth, span);
  if (a.column_stride == 1) {
    constexpr std::int64_t kHigh = std::min(kTileRows, Simd<float>::kLanes);
    for (std::int64_t i = 0; i < rows; i += kHigh) {
      pack_transposed(a.data + i * a.row_stride, a.row_stride, std::min(kHigh, rows - i), depth,
                      out + i / kTileRows * kTileRows * factors + i % kTileRows, kTileRows);
    }
    return;
  }
  Factor line[kMostRows];  // of one p, written in whole vectors
  for (std::int64_t p = 0; p < factors; ++p) {
    const T* column = a.data + p * span * a.column_stride;
    const std::int64_t left = depth - p * span;
#pragma omp simd
    for (std::int64_t i = 0; i < rows; ++i) {
      line[i] = load_factor<Factor>(column + i, a.column_stride, left);
    }
    for (std::int64_t i = 0; i < rows; i += kTileRows) {
      Factor* panel = out + i * factors + p * kTileRows;
      __builtin_prefetch(column + kAhead * span * a.column_stride + i);
      if (rows - i >= kTileRows) {  // a fixed count becomes a few vector moves
        std::copy_n(line + i, kTileRows, panel);
      } else {
        std::copy_n(line + i, rows - i, panel);
      }
    }
  }
}

/// `rows` rows of A, each padded with zeros from `depth` elements to `factors` factors.
inline void pack_a_rows(const MatrixView<const BFloat16>& a, std::int64_t rows, std::int64_t depth,
                        std::int64_t factors, Bf16Pair* out) {
  if (a.column_stride == 1) {
    for (std::int64_t i = 0; i < rows; ++i) {
      Bf16Pair* to = out + i * factors;
      std::fill(to + depth / 2, to + factors, Bf16Pair{});
      std::memcpy(to, a.data + i * a.row_stride, depth * sizeof(BFloat16));
    }
    return;
  }
  using S = Simd<float>;  // words of any content
  for (std::int64_t p = 0; p < factors; p += S::kLanes) {
    for (std::int64_t i = 0; i < rows; i += S::kLanes) {
      S::Vector square[S::kLanes]{};
      const std::int64_t high = std::min<std::int64_t>(S::kLanes, rows - i);
      for (int q = 0; q < S::kLanes && 2 * (p + q) < depth; ++q) {
        const BFloat16* column = a.data + 2 * (p + q) * a.column_stride + i;
        Bf16Pair line[S::kLanes]{};
        for (std::int64_t lane = 0; lane < high; ++lane) {
          line[lane] = load_factor<Bf16Pair>(column + lane, a.column_stride, depth - 2 * (p + q));
        }
        std::memcpy(&square[q], line, sizeof line);
      }
      S::transpose(square);
      for (std::int64_t lane = 0; lane < high; ++lane) {
        std::memcpy(out + (i + lane) * factors + p, &square[lane], sizeof square[lane]);
      }
    }
  }
}

}  // namespace kette::cpu
