// What attention's kernels share: the arguments as a kernel takes them, one head of one sequence as
// a block sees it, and products of tiles in shared memory. A block of 16 x 16 threads computes a
// tile of 16 * kRepeat rows; a thread has the rows lane + 16 i and the columns lane + 16 j of it, so
// that a row belongs to half a warp, and all a thread's keys of a row to one block of random bits.
#pragma once

#include "tensor/cuda/launch.h"
#include "tensor/scalar.h"

#ifdef __CUDACC__
#define KETTE_UNROLL _Pragma("unroll")
#else
#define KETTE_UNROLL
#endif

namespace kette::cuda {

inline constexpr int kLanes = 16, kWidestHead = 256;

/// AttentionArgs for a kernel. `tiles` blocks in grid.x for each sequence; the heads in grid.y.
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
  int width, tiles = 1;
  bool is_causal;

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
        width(static_cast<int>(args.head_width)),
        is_causal(args.mask == Mask::causal) {}

  /// A grid with a block for each tile of `size` rows of each sequence and head.
  Grid grid(const AttentionArgs& args, const Segments& segments, int size, int threads,
            std::size_t shared_bytes) {
    tiles = static_cast<int>(ceil_div(segments.longest(), size));
    return {
        dim3(static_cast<unsigned>(tiles * segments.count()), static_cast<unsigned>(args.heads)),
        dim3(static_cast<unsigned>(threads)), shared_bytes};
  }

 private:
  static const std::int32_t* offsets(CudaExec exec, const Segments& segments) {
    return segments.offsets_on({DeviceKind::cuda, exec.device}).template data<std::int32_t>();
  }
};

/// The dropout factors of every sixteenth key of a query within 128 neighbours: one block of bits.
struct DropoutColumn {
  std::array<std::uint32_t, 4> words{};
  std::uint32_t threshold;
  float scale;

  __device__ DropoutColumn(const DropoutMask& mask, std::int64_t row, int key, std::int64_t width)
      : threshold(mask.threshold), scale(mask.scale) {
    if (!mask.active()) return;
    const std::int64_t group = row * DropoutMask::groups(width) + key / 128;
    words = philox(mask.key, static_cast<std::uint64_t>(group * 16 + key % 16));
  }
  __device__ float at(int key) const {
    const int within = key % 128;
    // Chosen, not indexed, so that the words stay in registers.
    const std::uint32_t pair =
        within < 64 ? (within < 32 ? words[0] : words[1]) : (within < 96 ? words[2] : words[3]);
    const std::uint32_t bits = within / 16 % 2 ? pair >> 16 : pair & 0xffffu;
    return bits >= threshold ? scale : 0.0f;
  }
};

/// One head of one sequence; rows count from the sequence's first.
template <class T>
struct AttentionHead {
  using C = Compute<T>;
  const AttentionCall<T>& call;
  int head, tile;
  std::int64_t first_query, first_key;
  int queries, keys;

  __device__ explicit AttentionHead(const AttentionCall<T>& given)
      : call(given),
        head(static_cast<int>(blockIdx.y)),
        tile(static_cast<int>(blockIdx.x % static_cast<unsigned>(given.tiles))) {
    const unsigned sequence = blockIdx.x / static_cast<unsigned>(given.tiles);
    first_query = call.query_offsets[sequence];
    first_key = call.key_offsets[sequence];
    queries = static_cast<int>(call.query_offsets[sequence + 1] - first_query);
    keys = static_cast<int>(call.key_offsets[sequence + 1] - first_key);
  }

  /// How many keys a query sees; none if there is no such query.
  __device__ int seen(int query) const {
    if (query >= queries) return 0;
    const int past = query + 1 + keys - queries;
    return !call.is_causal || past > keys ? keys : past > 0 ? past : 0;
  }
  /// The first query that sees a key.
  __device__ int first_to_see(int key_row) const {
    const int query = key_row + queries - keys;
    return call.is_causal && query > 0 ? query : 0;
  }
  /// Where a query's number stands in [heads, query rows].
  __device__ std::int64_t statistic(int query) const {
    return head * call.query_rows + first_query + query;
  }
  __device__ DropoutColumn dropout(int query, int key_row) const {
    return {call.dropout, statistic(query), key_row, call.dropout_width};
  }

  // The first elements of this head; the rows that follow lie a stride apart.
  template <class U>
  __device__ U* of_queries(U* start, std::int64_t stride) const {
    return start + first_query * stride + head * call.width;
  }
  template <class U>
  __device__ U* of_keys(U* start, std::int64_t stride) const {
    return start + first_key * stride + head * call.width;
  }
};

/// Copies `rows` rows to shared memory, where they lie kStride apart.
template <int kStride, class T, class C>
__device__ void load_rows(const T* from, std::int64_t stride, int rows, int width, C* to) {
  const int warps = static_cast<int>(blockDim.x) / kWarp, thread = static_cast<int>(threadIdx.x);
  for (int row = thread / kWarp; row < rows; row += warps) {
    for (int e = thread % kWarp; e < width; e += kWarp) {
      to[row * kStride + e] = C(from[row * stride + e]);
    }
  }
}

// A thread's place in the tile.
__device__ inline int row_lane() { return static_cast<int>(threadIdx.x) / kLanes; }
__device__ inline int column_lane() { return static_cast<int>(threadIdx.x) % kLanes; }

/// A matrix in shared memory: element (i, d) lies at i * stride + d * step.
template <class C>
struct Operand {
  const C* data;
  int stride, step;
};

/// sums[i][j] += sum over d < depth of a(row i, d) * b(column j, d)
template <int kRows, int kColumns, class C>
__device__ void multiply(int depth, Operand<C> a, Operand<C> b, C (&sums)[kRows][kColumns]) {
  a.data += row_lane() * a.stride;
  b.data += column_lane() * b.stride;
  for (int d = 0; d < depth; ++d) {
    C left[kRows], right[kColumns];
    KETTE_UNROLL for (int i = 0; i < kRows; ++i) {
      left[i] = a.data[i * kLanes * a.stride + d * a.step];
    }
    KETTE_UNROLL for (int j = 0; j < kColumns; ++j) {
      right[j] = b.data[j * kLanes * b.stride + d * b.step];
    }
    KETTE_UNROLL for (int i = 0; i < kRows; ++i) {
      KETTE_UNROLL for (int j = 0; j < kColumns; ++j) sums[i][j] += left[i] * right[j];
    }
  }
}

/// Writes a tile's first `rows` rows, times their factors, as rows a stride apart.
template <int kRows, int kColumns, class T, class C, class Factor>
__device__ void store_rows(const C (&sums)[kRows][kColumns], const Factor& factor, T* to,
                           std::int64_t stride, int rows, int width) {
  KETTE_UNROLL for (int i = 0; i < kRows; ++i) {
    const int row = row_lane() + i * kLanes;
    KETTE_UNROLL for (int j = 0; j < kColumns; ++j) {
      const int column = column_lane() + j * kLanes;
      if (row < rows && column < width) to[row * stride + column] = T(sums[i][j] * factor(i));
    }
  }
}

/// The size of a tile, and of the widest head it has registers for.
template <int kRepeatGiven, int kSlicesGiven>
struct TileSize {
  static constexpr int kRepeat = kRepeatGiven, kSlices = kSlicesGiven;
  static constexpr int kTile = kRepeat * kLanes;
  // Odd, so that neighbours in a column lie in different banks of shared memory.
  static constexpr int kStride = kSlices * kLanes + 1, kSquareStride = kTile + 1;
  static constexpr int kThreads = kLanes * kLanes;

  /// Shared memory for tiles of `panels` matrices and one square tile of scores.
  template <class C>
  static constexpr std::size_t bytes(int panels) {
    return sizeof(C) * static_cast<std::size_t>(kTile * (panels * kStride + kSquareStride));
  }
};

/// Calls function(TileSize) with the largest tile that sequences of `longest` rows fill, within 96
/// KiB of shared memory for f32. f64 serves the gradient check alone, on short sequences.
template <class T, class Function>
void with_tile_size(std::int64_t longest, std::int64_t width, const Function& function) {
  const auto of_width = [&]<int kSlices>(std::integral_constant<int, kSlices>) {
    if constexpr (std::is_same_v<T, float> && kSlices <= 4) {
      if (longest > 2 * kLanes) return function(TileSize<4, kSlices>{});
    }
    if constexpr (std::is_same_v<T, float> && kSlices <= 8) {
      if (longest > kLanes) return function(TileSize<2, kSlices>{});
    }
    return function(TileSize<1, kSlices>{});
  };
  KETTE_CHECK(width <= kWidestHead, "attention: expected heads of at most ", kWidestHead,
              " elements on cuda, given ", width);
  if (width <= 2 * kLanes) return of_width(std::integral_constant<int, 2>{});
  if (width <= 4 * kLanes) return of_width(std::integral_constant<int, 4>{});
  if (width <= 8 * kLanes) return of_width(std::integral_constant<int, 8>{});
  return of_width(std::integral_constant<int, 16>{});
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

}  // namespace kette::cuda
