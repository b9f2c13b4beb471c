// One head of one sequence, as attention's forward and backward passes see it: its queries, keys
// and values copied into small dense panels (rows padded to whole vectors, converted to the type of
// the arithmetic), a block of queries at a time, so that the scores of a block stay in cache and
// memory grows with the length, not its square.
#pragma once

#include <algorithm>
#include <limits>

#include "tensor/cpu/dropout_mask.h"
#include "tensor/cpu/gemm_tile.h"
#include "tensor/cpu/scratch.h"
#include "tensor/kernels.h"

namespace kette::cpu {

inline constexpr std::int64_t kQueryBlock = 48;

inline std::int64_t round_up(std::int64_t count, std::int64_t step) {
  return (count + step - 1) / step * step;
}

/// A dense matrix in working memory, its rows `stride` elements apart.
template <class C>
struct Panel {
  C* data = nullptr;
  std::int64_t stride = 0;

  TileOperand<C> by_rows() const { return {data, stride, 1}; }
  TileOperand<C> by_columns() const { return {data, 1, stride}; }  // the transpose
};

/// C = keep * C + A B for A: [rows, depth] and B: [depth, columns] in slices of kTileWidth columns,
/// which lie `slice` elements apart. C's rows are written in whole vectors.
template <class C>
void multiply_panel(std::int64_t rows, std::int64_t columns, std::int64_t depth, TileOperand<C> a,
                    Panel<C> b, std::int64_t slice, C keep, Panel<C> c) {
  for (std::int64_t j = 0; j < columns; j += kTileWidth<C>) {
    const bool narrow = columns - j <= Simd<C>::kLanes;
    // Tiles of equal height: a low last one would wait for its own sums.
    const std::int64_t tiles =
        round_up(rows, narrow ? 2 * kTileRows : kTileRows) / (narrow ? 2 * kTileRows : kTileRows);
    for (std::int64_t tile = 0; tile < tiles; ++tile) {
      const std::int64_t begin = rows * tile / tiles, count = rows * (tile + 1) / tiles - begin;
      const auto kernel = narrow ? tile_kernel<C, 1>(count) : tile_kernel<C, 2>(count);
      kernel(depth, {a.data + begin * a.row_stride, a.row_stride, a.column_stride},
             b.data + j / kTileWidth<C> * slice, b.stride, C(1), keep,
             c.data + begin * c.stride + j, c.stride);
    }
  }
}

/// Sizes and places of one (sequence, head) pair, and copies from and to the packed rows.
template <class T>
struct AttentionHead {
  using C = Compute<T>;
  const AttentionArgs& args;
  std::int64_t head, first_query, first_key, queries, keys, width;

  AttentionHead(const AttentionArgs& given, std::int64_t index)
      : args(given), head(index % given.heads), width(given.head_width) {
    const std::int64_t sequence = index / given.heads;
    first_query = given.query_segments.begin(sequence);
    queries = given.query_segments.length(sequence);
    first_key = given.key_segments.begin(sequence);
    keys = given.key_segments.length(sequence);
  }

  /// How many keys a query sees.
  std::int64_t seen(std::int64_t query) const {
    if (args.mask == Mask::none) return keys;
    return std::clamp<std::int64_t>(query + 1 + keys - queries, 0, keys);
  }
  C* log_sum_exp(std::int64_t query) const {
    return static_cast<C*>(args.log_sum_exp) + head * args.query_segments.rows() + first_query +
           query;
  }
  void draw_mask(std::int64_t query, float* factors) const {
    fill_mask(args.dropout, head * args.query_segments.rows() + first_query + query,
              args.dropout_width, factors);
  }

  /// Rows [begin, begin + rows) of this head's columns; the padding becomes 0.
  void load(const void* source, std::int64_t stride, std::int64_t begin, std::int64_t rows,
            C factor, Panel<C> to) const {
    const T* from = static_cast<const T*>(source) + begin * stride + head * width;
    for (std::int64_t i = 0; i < rows; ++i) {
      C* row = to.data + i * to.stride;
#pragma omp simd
      for (std::int64_t e = 0; e < width; ++e) row[e] = factor * C(from[i * stride + e]);
      for (std::int64_t e = width; e < to.stride; ++e) row[e] = 0;
    }
  }
  void store(Panel<C> from, C factor, std::int64_t begin, std::int64_t rows, void* target,
             std::int64_t stride) const {
    T* to = static_cast<T*>(target) + begin * stride + head * width;
    for (std::int64_t i = 0; i < rows; ++i) {
      const C* row = from.data + i * from.stride;
#pragma omp simd
      for (std::int64_t e = 0; e < width; ++e) to[i * stride + e] = T(factor * row[e]);
    }
  }
};

/// The transpose of [rows, width], in slices of kTileWidth columns; columns past the rows are 0.
template <class C>
void transpose_panel(Panel<C> from, std::int64_t rows, std::int64_t width, C* to) {
  constexpr std::int64_t kSlice = kTileWidth<C>;
  for (std::int64_t begin = 0; begin < rows; begin += kSlice, to += width * kSlice) {
    const std::int64_t used = std::min(kSlice, rows - begin);
    const C* source = from.data + begin * from.stride;
    for (std::int64_t e = 0; e < width; ++e) {
      for (std::int64_t j = 0; j < used; ++j) to[e * kSlice + j] = source[j * from.stride + e];
      for (std::int64_t j = used; j < kSlice; ++j) to[e * kSlice + j] = 0;
    }
  }
}

/// What both passes ask of their arguments.
inline void check_attention(const AttentionArgs& args) {
  KETTE_CHECK(args.query_segments.count() == args.key_segments.count(),
              "attention: expected as many key as query sequences, given ",
              args.key_segments.count(), " and ", args.query_segments.count());
  KETTE_CHECK(!args.dropout.active() || args.dropout_width >= args.key_segments.longest(),
              "attention: expected a dropout width of at least the longest key sequence, ",
              args.key_segments.longest(), ", given ", args.dropout_width);
}

/// Calls body(head, memory, factors) for every pair, on all threads. A thread's own are `memory`,
/// of `count` elements, and `factors`, a row of the dropout mask.
template <class T, class Body>
void for_heads(const AttentionArgs& args, std::int64_t count, const Body& body) {
  const std::int64_t pairs = args.query_segments.count() * args.heads;
#pragma omp parallel if (pairs > 1)
  {
    const Scratch<Compute<T>> memory(count);
    const Scratch<float> factors(args.dropout.active() ? args.dropout_width : 0);
#pragma omp for schedule(dynamic)
    for (std::int64_t index = 0; index < pairs; ++index) {
      body(AttentionHead<T>(args, index), memory.data(), factors.data());
    }
  }
}

/// Hands out parts of a thread's working memory, each aligned to whole vectors.
template <class C>
class Carver {
 public:
  explicit Carver(C* memory) : memory_(memory) {}
  Panel<C> take(std::int64_t rows, std::int64_t stride) {
    const Panel<C> panel{memory_ + used_, stride};
    used_ += round_up(rows * stride, kTileWidth<C>);
    return panel;
  }
  std::int64_t used() const { return used_; }

 private:
  C* memory_;
  std::int64_t used_ = 0;
};

}  // namespace kette::cpu
