// One head of one sequence, for attention's forward and backward passes. Queries, keys and values
// are read and written in place if their rows are whole vectors of the compute type, else through
// copies. Queries are processed in blocks, so that a block's scores stay in cache and memory grows
// with the length, not its square.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>

#include "tensor/cpu/dropout_mask.h"
#include "tensor/cpu/gemm_tile.h"
#include "tensor/cpu/parallel.h"
#include "tensor/cpu/scratch.h"
#include "tensor/kernels.h"

namespace kette::cpu {

inline constexpr std::int64_t kQueryBlock = 48;

/// c = beta * c + alpha * A b for A: [rows, depth] and b: [depth, columns], made of the tiles'
/// factors. b's slices of kTileWidth columns are `slice` elements apart; c is written in whole
/// vectors.
template <class Factor>
void multiply_slices(std::int64_t rows, std::int64_t columns, std::int64_t depth,
                     SumOf<Factor> alpha, MatrixView<const Factor> a, RowsView<const Factor> b,
                     std::int64_t slice, SumOf<Factor> beta, RowsView<SumOf<Factor>> c) {
  using C = SumOf<Factor>;
  for (std::int64_t j = 0; j < columns; j += kTileWidth<C>) {
    const bool narrow = columns - j <= Simd<C>::kLanes;
    const std::int64_t highest = narrow ? 2 * kTileRows : kTileRows;
    // Tiles of equal height: a short last one would stall on its own sums.
    const std::int64_t tiles = ceil_div(rows, highest);
    for (std::int64_t tile = 0; tile < tiles; ++tile) {
      const std::int64_t begin = rows * tile / tiles, count = rows * (tile + 1) / tiles - begin;
      const auto kernel = narrow ? tile_kernel<Factor, 1>(count) : tile_kernel<Factor, 2>(count);
      // Not a.from(): with a call here g++ 12 inlines differently, and a backward pass over short
      // sequences takes 10 % longer.
      kernel(depth, {a.data + begin * a.row_stride, a.row_stride, a.column_stride},
             b.data + j / kTileWidth<C> * slice, b.stride, alpha, beta, c.row(begin) + j, c.stride);
    }
  }
}

/// The transpose of [rows, width] in slices of kTileWidth columns; columns past the rows are 0.
/// Rows of `from` are whole vectors; `to` has room for whole vectors in both directions.
template <class C>
void transpose_panel(RowsView<const C> from, std::int64_t rows, std::int64_t width, C* to) {
  using S = Simd<C>;
  constexpr std::int64_t kSlice = kTileWidth<C>;
  static constexpr C kNothing[S::kLanes] = {};
  const std::int64_t whole = round_up(width, S::kLanes);
  for (std::int64_t begin = 0; begin < rows; begin += S::kLanes) {
    const std::int64_t used = std::min<std::int64_t>(S::kLanes, rows - begin);
    C* slice = to + begin / kSlice * kSlice * whole + begin % kSlice;
    for (std::int64_t e = 0; e < whole; e += S::kLanes) {
      typename S::Vector square[S::kLanes];
      for (int i = 0; i < S::kLanes; ++i) {
        square[i] = S::load(i < used ? from.row(begin + i) + e : kNothing);
      }
      S::transpose(square);
      for (int i = 0; i < S::kLanes; ++i) S::store(slice + (e + i) * kSlice, square[i]);
    }
  }
}

/// Replaces a vector of scores by exp(score - shift), and by 0 from lane `visible` on; returns it.
template <class C>
typename Simd<C>::Vector exp_of_visible(C* scores, C shift, std::int64_t visible) {
#pragma omp simd
  for (int lane = 0; lane < Simd<C>::kLanes; ++lane) {
    const C power = scalar::exp(scores[lane] - shift);
    scores[lane] = lane < visible ? power : C(0);
  }
  return Simd<C>::load(scores);
}

/// Sizes and addresses of one (sequence, head) pair.
template <class T>
struct AttentionHead {
  using C = Compute<T>;
  const AttentionArgs& args;
  std::int64_t head, key_head, first_query, first_key, queries, keys, width;
  C slope;

  AttentionHead(const AttentionArgs& given, std::int64_t index)
      : args(given),
        head(index % given.heads),
        key_head(head / given.pattern.group),
        width(given.head_width),
        slope(C(given.pattern.slope(head, given.heads))) {
    const std::int64_t sequence = index / given.heads;
    first_query = given.query_segments.begin(sequence);
    queries = given.query_segments.length(sequence);
    first_key = given.key_segments.begin(sequence);
    keys = given.key_segments.length(sequence);
  }

  /// A query sees the keys first_visible(query) <= key < visible_keys(query).
  std::int64_t visible_keys(std::int64_t query) const {
    if (args.pattern.mask == Mask::none) return keys;
    return std::clamp<std::int64_t>(query + 1 + keys - queries, 0, keys);
  }
  std::int64_t first_visible(std::int64_t query) const {
    return args.pattern.first_visible(query + keys - queries);
  }
  /// The first key for a block of queries that starts at `query`, rounded down to a whole slice.
  std::int64_t first_of_block(std::int64_t query) const {
    return first_visible(query) / kTileWidth<C> * kTileWidth<C>;
  }
  /// Turns products of a query and the keys from `low` on into scores: subtracts ALiBi's bias, and
  /// sets keys before the window to minus infinity.
  void bias(std::int64_t query, std::int64_t low, C* scores) const {
    const std::int64_t own = query + keys - queries, visible = visible_keys(query);
    if (slope != 0) {
#pragma omp simd
      for (std::int64_t j = low; j < visible; ++j) scores[j - low] -= slope * C(own - j);
    }
    for (std::int64_t j = low; j < first_visible(query); ++j) {
      scores[j - low] = -std::numeric_limits<C>::infinity();
    }
  }
  C* log_sum_exp(std::int64_t query) const {
    return static_cast<C*>(args.log_sum_exp) + head * args.query_segments.rows() + first_query +
           query;
  }
  /// Dropout factors, at least for the keys that the query sees.
  void draw_mask(std::int64_t query, float* factors) const {
    fill_mask(args.dropout, head * args.query_segments.rows() + first_query + query,
              args.dropout_width, first_visible(query), visible_keys(query), factors);
  }

  bool is_in_place() const { return std::is_same_v<T, C> && width % Simd<C>::kLanes == 0; }

  /// Rows [begin, begin + rows) of `of_head`'s columns of `source`: in place, or copied and padded
  /// with zeros to whole vectors.
  RowsView<const C> read(std::int64_t of_head, const void* source, std::int64_t stride,
                         std::int64_t begin, std::int64_t rows, RowsView<C> copy) const {
    const T* from = static_cast<const T*>(source) + begin * stride + of_head * width;
    if constexpr (std::is_same_v<T, C>) {
      if (is_in_place()) {
        // The next head's columns follow these; this thread takes them next.
        for (std::int64_t i = 0; i < rows; ++i) {
          for (std::int64_t e = 0; e < width; e += Simd<C>::kLanes) {
            __builtin_prefetch(from + i * stride + width + e);
          }
        }
        return {from, stride};
      }
    }
    for (std::int64_t i = 0; i < rows; ++i) {
      C* row = copy.row(i);
      for (std::int64_t e = 0; e < width; ++e) row[e] = C(from[i * stride + e]);
      for (std::int64_t e = width; e < copy.stride; ++e) row[e] = 0;
    }
    return copy;
  }
  /// target(): where to write such rows. write(): call it once they are complete.
  RowsView<C> target(std::int64_t of_head, void* result, std::int64_t stride, std::int64_t begin,
                     RowsView<C> copy) const {
    if constexpr (std::is_same_v<T, C>) {
      if (is_in_place()) {
        return {static_cast<C*>(result) + begin * stride + of_head * width, stride};
      }
    }
    return copy;
  }
  void write(std::int64_t of_head, RowsView<C> from, void* result, std::int64_t stride,
             std::int64_t begin, std::int64_t rows) const {
    if (is_in_place()) return;
    T* to = static_cast<T*>(result) + begin * stride + of_head * width;
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t e = 0; e < width; ++e) to[i * stride + e] = from.row(i)[e];
    }
  }
};

/// Calls body(index, memory, factors) for each of `count` (sequence, head) pairs, on all threads.
/// Each thread has its own `memory`, of `elements`, and `factors`, a row of the dropout mask.
template <class C, class Body>
void for_heads(std::int64_t count, std::int64_t elements, std::int64_t mask_width,
               const Body& body) {
  ParallelError error;
#pragma omp parallel if (count > 1)
  {
    std::optional<Scratch<C>> memory;
    std::optional<Scratch<float>> factors;
    error.guard([&] {
      memory.emplace(elements);
      factors.emplace(mask_width);
    });
    // A few short sentences at a time; long sequences one by one.
#pragma omp for schedule(dynamic, count >= 256 ? 8 : 1)
    for (std::int64_t index = 0; index < count; ++index) {
      error.guard([&] { body(index, memory->data(), factors->data()); });
    }
  }
  error.rethrow();
}

/// The gradient of keys or values that several heads share. Each head writes a part of its own, so
/// that heads need not wait for each other; the parts are then summed in the order of the heads.
template <class C>
class SharedGradient {
 public:
  SharedGradient(std::int64_t rows, std::int64_t heads, std::int64_t width)
      : rows_(rows),
        width_(width),
        whole_(round_up(width, Simd<C>::kLanes)),
        stride_(heads * whole_),
        parts_(rows * stride_) {}

  /// The part of a head, from a row on, padded to whole vectors. Null if there are no rows.
  RowsView<C> part(std::int64_t head, std::int64_t first_row) const {
    if (parts_.data() == nullptr) return {};
    return {parts_.data() + first_row * stride_ + head * whole_, stride_};
  }
  /// Writes the sum of each `group` heads to the columns of one head of the result.
  template <class T>
  void add_up(std::int64_t group, void* result, std::int64_t result_stride) const {
    parallel_blocks(rows_, 16, stride_, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        T* to = static_cast<T*>(result) + row * result_stride;
        for (std::int64_t head = 0; head * whole_ < stride_; head += group, to += width_) {
          const C* from = part(head, row).data;
#pragma omp simd
          for (std::int64_t e = 0; e < width_; ++e) {
            C sum = from[e];
            for (std::int64_t i = 1; i < group; ++i) sum += from[i * whole_ + e];
            to[e] = sum;
          }
        }
      }
    });
  }

 private:
  std::int64_t rows_, width_, whole_, stride_;
  Scratch<C> parts_;
};

/// Hands out parts of a thread's working memory, each aligned to whole vectors. With null memory it
/// only counts the elements.
template <class C>
class Arena {
 public:
  explicit Arena(C* memory) : memory_(memory) {}
  RowsView<C> take(std::int64_t rows, std::int64_t stride) {
    const RowsView<C> panel{memory_ == nullptr ? nullptr : memory_ + used_, stride};
    used_ += round_up(rows * stride, kTileWidth<C>);
    return panel;
  }
  std::int64_t used() const { return used_; }

 private:
  C* memory_;
  std::int64_t used_ = 0;
};

}  // namespace kette::cpu
