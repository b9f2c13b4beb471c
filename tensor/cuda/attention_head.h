// The arguments of attention as a kernel takes them, and one head of one sequence as a block sees
// it.
#pragma once

#include <numbers>

#include "tensor/cuda/launch.h"
#include "tensor/cuda/pack.h"
#include "tensor/matrix_view.h"
#include "tensor/scalar.h"

namespace kette::cuda {

/// A window that reaches back to the first key.
inline constexpr int kBoundless = 1 << 30;

/// AttentionArgs for a kernel. grid.x has `tiles` blocks for each sequence; grid.y is the heads.
template <class T, class C = Compute<T>>
struct AttentionCall {
  const T *query, *key, *value;
  T* output;
  C* log_sum_exp;
  std::int64_t query_stride, key_stride, value_stride, output_stride;
  std::int64_t query_rows, dropout_width;
  const std::int32_t *query_offsets, *key_offsets;
  DropoutMask dropout;
  C scale;
  C scale_in_2;  ///< exp(scale x) = 2^(scale_in_2 x)
  AttentionPattern pattern;
  int width, heads, tiles = 1;
  bool in_packs;  ///< every row of a head consists of whole packs, see pack.h

  AttentionCall(CudaExec exec, const AttentionArgs& args)
      : query(static_cast<const T*>(args.query)),
        key(static_cast<const T*>(args.key)),
        value(static_cast<const T*>(args.value)),
        output(static_cast<T*>(args.output)),
        log_sum_exp(static_cast<C*>(args.log_sum_exp)),
        query_stride(args.query_stride),
        key_stride(args.key_stride),
        value_stride(args.value_stride),
        output_stride(args.output_stride),
        query_rows(args.query_segments.rows()),
        dropout_width(args.dropout_width),
        query_offsets(offsets(exec, args.query_segments)),
        key_offsets(offsets(exec, args.key_segments)),
        dropout(args.dropout),
        scale(static_cast<C>(args.scale)),
        scale_in_2(static_cast<C>(args.scale * std::numbers::log2e)),
        pattern(args.pattern),
        width(static_cast<int>(args.head_width)),
        heads(static_cast<int>(args.heads)),
        in_packs(
            whole_packs<T>({args.head_width, query_stride, key_stride, value_stride, output_stride},
                           {args.query, args.key, args.value, args.output})) {
    KETTE_CHECK(args.scale > 0, "attention: expected a scale above 0 on cuda, given ", args.scale);
  }

  /// A grid with one block per tile of `size` rows, for each sequence and each of `heads_of_rows`.
  Grid grid(const Segments& segments, std::int64_t heads_of_rows, int size, int threads,
            std::size_t shared_bytes) {
    tiles = static_cast<int>(ceil_div(segments.longest(), size));
    return {
        dim3(static_cast<unsigned>(tiles * segments.count()), static_cast<unsigned>(heads_of_rows)),
        dim3(static_cast<unsigned>(threads)), shared_bytes};
  }

 private:
  static const std::int32_t* offsets(CudaExec exec, const Segments& segments) {
    return segments.offsets_on({DeviceKind::cuda, exec.device}).template data<std::int32_t>();
  }
};

/// The side of the scores of which a block owns a tile.
enum class Side { queries, keys };

/// One head of one sequence; rows count from the sequence's first. A block that owns keys begins
/// with the first of the heads that share them.
template <class T>
struct AttentionHead {
  using C = Compute<T>;
  const AttentionCall<T>& call;
  int head, key_head, tile;
  std::int64_t first_query, first_key;
  int queries, keys;
  int reach;  ///< the most keys that a query sees

  /// Blocks start in the order of their numbers, and those with the most to do come first: the last
  /// queries see the most keys, the first keys are seen by the most queries.
  __device__ AttentionHead(const AttentionCall<T>& given, Side owned)
      : call(given),
        head(static_cast<int>(blockIdx.y)),
        key_head(head),
        tile(static_cast<int>(blockIdx.x % static_cast<unsigned>(given.tiles))) {
    const int group = static_cast<int>(call.pattern.group);
    if (owned == Side::queries) {
      tile = call.tiles - 1 - tile;
      key_head = head / group;
    } else {
      head = key_head * group;
    }
    const unsigned sequence = blockIdx.x / static_cast<unsigned>(given.tiles);
    first_query = call.query_offsets[sequence];
    first_key = call.key_offsets[sequence];
    queries = static_cast<int>(call.query_offsets[sequence + 1] - first_query);
    keys = static_cast<int>(call.key_offsets[sequence + 1] - first_key);
    reach = call.pattern.window > 0 && call.pattern.window < kBoundless
                ? static_cast<int>(call.pattern.window)
                : kBoundless;
  }

  __device__ bool is_causal() const { return call.pattern.mask == Mask::causal; }

  // A query sees up to `reach` keys below visible_keys(query). A key is seen by up to `reach`
  // queries from first_query_of(key) on, which may be negative.

  __device__ int visible_keys(int query) const {
    const int past = is_causal() ? scalar::min(query + 1 + keys - queries, keys) : keys;
    return past > 0 ? past : 0;
  }
  __device__ int first_query_of(int key) const { return is_causal() ? key + queries - keys : 0; }
  /// Whether first <= place < first + reach.
  __device__ bool reaches(int first, int place) const {
    return static_cast<unsigned>(place - first) < static_cast<unsigned>(reach);
  }
  /// ALiBi's slope, divided by call.scale.
  __device__ C slope() const { return C(call.pattern.slope(head, call.heads)) / call.scale; }
  /// The index of a query's statistic in [heads, query rows].
  __device__ std::int64_t statistic(int query) const {
    return head * call.query_rows + first_query + query;
  }
  /// This head's columns of a matrix, from the sequence's first row on.
  template <class U>
  __device__ RowsView<U> of_queries(U* matrix, std::int64_t stride) const {
    return {matrix + first_query * stride + head * call.width, stride};
  }
  template <class U>
  __device__ RowsView<U> of_keys(U* matrix, std::int64_t stride) const {
    return {matrix + first_key * stride + key_head * call.width, stride};
  }
};

/// The keys that a tile of queries sees: `start` to `end`. All see `shared` to `shared_end`.
struct KeySpan {
  int start, end, shared, shared_end;

  /// start: a multiple of `step`.
  template <class T>
  __device__ KeySpan(const AttentionHead<T>& head, int begin, int rows, int step)
      : end(head.visible_keys(begin + rows - 1)), shared_end(head.visible_keys(begin)) {
    const int first = shared_end - head.reach;
    start = first > 0 ? first / step * step : 0;
    shared = end - head.reach;
  }
  __device__ bool is_whole(int first, int count) const {
    return first >= shared && first + count <= shared_end;
  }
};

}  // namespace kette::cuda
