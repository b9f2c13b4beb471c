// Attention's queries, keys, values, scores and their gradients as operands of tiles (gemm_tile.h).
// WideOperands: in the compute type, in place or widened. PairedOperands: bf16 in pairs
// (bf16_pair.h), with half the instructions.
#pragma once

#include "tensor/cpu/attention_head.h"
#include "tensor/cpu/packing.h"

namespace kette::cpu {

/// A right operand: rows of factors in slices of kTileWidth columns, `slice` elements apart. A
/// factor holds kSpan<Factor> rows.
template <class Factor>
struct Slices {
  RowsView<const Factor> rows;
  std::int64_t slice;

  /// row, column: multiples of a slice's width.
  Slices from_row(std::int64_t row) const { return {rows.from(row / kSpan<Factor>), slice}; }
  Slices from_column(std::int64_t column) const {
    return {{rows.data + column / kTileWidth<SumOf<Factor>> * slice, rows.stride}, slice};
  }
};

/// c = beta * c + alpha * A b for A: [rows, depth] and b: [depth, columns]; c is written in whole
/// vectors.
template <class Factor>
void multiply(std::int64_t rows, std::int64_t columns, std::int64_t depth, SumOf<Factor> alpha,
              const MatrixView<const Factor>& a, const Slices<Factor>& b, SumOf<Factor> beta,
              const RowsView<SumOf<Factor>>& c) {
  multiply_slices<Factor>(rows, columns, ceil_div(depth, kSpan<Factor>), alpha, a, b.rows, b.slice,
                          beta, c);
}

template <class T>
struct WideOperands {
  using C = Compute<T>;
  using Factor = C;
  using Rows = RowsView<const C>;
  /// Words that narrow() needs for two rows of scores; left_transposed() needs as many.
  static std::int64_t narrow_width(std::int64_t /*columns*/) { return 0; }

  static Rows read(const AttentionHead<T>& head, std::int64_t of_head, const void* source,
                   std::int64_t stride, std::int64_t begin, std::int64_t rows, RowsView<C> memory) {
    return head.read(of_head, source, stride, begin, rows, memory);
  }
  static MatrixView<const C> left(Rows rows) { return rows; }
  static Slices<C> right(Rows rows, std::int64_t /*count*/, std::int64_t /*width*/, C* /*memory*/) {
    return {rows, kTileWidth<C>};
  }
  static Slices<C> right_transposed(Rows rows, std::int64_t count, std::int64_t width, C* memory) {
    transpose_panel(rows, count, width, memory);
    return {{memory, kTileWidth<C>}, round_up(width, Simd<C>::kLanes) * kTileWidth<C>};
  }
  /// Scores as rows of an operand.
  static Rows narrow(RowsView<C> scores, std::int64_t /*rows*/, std::int64_t /*columns*/,
                     RowsView<C> /*memory*/) {
    return scores;
  }
  static MatrixView<const C> left_transposed(Rows rows, std::int64_t /*count*/,
                                             std::int64_t /*columns*/, C* /*memory*/) {
    return rows.transposed();
  }
};

/// For heads and rows of even widths.
struct PairedOperands {
  using C = float;
  using Factor = Bf16Pair;
  using Rows = RowsView<const BFloat16>;
  static std::int64_t narrow_width(std::int64_t columns) { return columns; }

  static bool fit(const AttentionArgs& args) {
    return (args.head_width | args.query_stride | args.key_stride | args.value_stride |
            args.output_stride) %
               2 ==
           0;
  }

  static Rows read(const AttentionHead<BFloat16>& head, std::int64_t of_head, const void* source,
                   std::int64_t stride, std::int64_t begin, std::int64_t /*rows*/,
                   RowsView<C> /*memory*/) {
    return {static_cast<const BFloat16*>(source) + begin * stride + of_head * head.width, stride};
  }
  static MatrixView<const Bf16Pair> left(Rows rows) {
    return {reinterpret_cast<const Bf16Pair*>(rows.data), rows.stride / 2, 1};
  }
  static Slices<Bf16Pair> right(Rows rows, std::int64_t count, std::int64_t width, C* memory) {
    auto* pairs = reinterpret_cast<Bf16Pair*>(memory);
    const std::int64_t slice = ceil_div(count, 2) * kColumns;
    pack_b_rows<Bf16Pair, BFloat16>(rows, count, width, pairs, slice);
    return {{pairs, kColumns}, slice};
  }
  static Slices<Bf16Pair> right_transposed(Rows rows, std::int64_t count, std::int64_t width,
                                           C* memory) {
    auto* pairs = reinterpret_cast<Bf16Pair*>(memory);
    const std::int64_t slice = width / 2 * kColumns;
    for (std::int64_t j = 0; j < count; j += kColumns) {
      pack_b_columns<Bf16Pair, BFloat16>(rows.from(j).transposed(), width, count - j,
                                         pairs + j / kColumns * slice);
    }
    return {{pairs, kColumns}, slice};
  }
  /// Rounds to bf16. memory: rows of `columns` words, of which the first half is used.
  static Rows narrow(RowsView<C> scores, std::int64_t rows, std::int64_t columns,
                     RowsView<C> memory) {
    auto* to = reinterpret_cast<BFloat16*>(memory.data);
    for (std::int64_t i = 0; i < rows; ++i) {
      const C* from = scores.row(i);
#pragma omp simd
      for (std::int64_t j = 0; j < columns; ++j) to[i * columns + j] = from[j];
    }
    return {to, columns};
  }
  /// Pairs of rows, transposed.
  static MatrixView<const Bf16Pair> left_transposed(Rows rows, std::int64_t count,
                                                    std::int64_t columns, C* memory) {
    auto* pairs = reinterpret_cast<Bf16Pair*>(memory);
    for (std::int64_t p = 0; 2 * p < count; ++p) {
      const BFloat16* row = rows.row(2 * p);
      const std::int64_t left = count - 2 * p;
#pragma omp simd
      for (std::int64_t j = 0; j < columns; ++j) {
        pairs[p * columns + j] = load_factor<Bf16Pair>(row + j, rows.stride, left);
      }
    }
    return {pairs, 1, columns};
  }
};

}  // namespace kette::cpu
