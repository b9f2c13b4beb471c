// Tiles of attention's matrices, as one block computes them. A block owns kOwn rows of one side of
// the scores and sweeps the other side, kSwept rows at a time. It computes
//   a square of scores [own, swept], products of the rows of two panels in shared memory, and
//   a strip of results [own, width], to which it adds squares times panels.
// A thread holds kRows rows and some columns of both; at(i, j) is its element in row(i), column(j)
// of the tile, and kRowLanes neighbouring threads share a row. This tile, of 16 x 16 threads, is
// for any element type; attention_tensor_core_tile.h has that of tensor cores.
#pragma once

#include "tensor/cuda/attention_tensor_core_tile.h"

namespace kette::cuda {

template <class T, int kRepeat, int kSlices>
struct ThreadTile {
  using C = Compute<T>;
  using Stored = C;
  static constexpr int kLanes = 16, kThreads = kLanes * kLanes;
  static constexpr int kOwn = kRepeat * kLanes, kSwept = kOwn, kWidth = kSlices * kLanes;
  static constexpr int kRows = kRepeat, kColumns = kRepeat, kRowLanes = kLanes, kColumnsOf16 = 1;
  static constexpr int kBuffers = 1;
  // See TensorCoreTile: two blocks for f32, 128 registers a thread.
  static constexpr int kBlocks = std::is_same_v<T, float> && kSlices <= 4 ? 2 : 1, kQueryBlocks = 0;
  // Odd, so that neighbours in a column are in different banks of shared memory.
  static constexpr int kStride = kWidth + 1, kScratchStride = kSwept + 1;
  static constexpr int kScratch = kOwn * kScratchStride;

  /// The thread's elements: rows and columns kLanes apart.
  template <int kCount>
  struct Sums {
    static constexpr int kColumns = kCount;
    C values[kRepeat][kCount] = {};
    __device__ C& at(int i, int j) { return values[i][j]; }
  };
  using Square = Sums<kRepeat>;
  using Strip = Sums<kSlices>;

  __device__ static int row(int i) { return int(threadIdx.x) / kLanes + i * kLanes; }
  __device__ static int column(int j) { return int(threadIdx.x) % kLanes + j * kLanes; }
  __device__ static float exp2(float x) { return ::exp2f(x); }
  __device__ static double exp2(double x) { return ::exp2(x); }

  /// The thread's rows of an own panel, which stay in shared memory.
  struct Own {
    const C* from;
    __device__ explicit Own(const C* panel) : from(panel + row(0) * kStride) {}
    __device__ void take() {}
  };

  /// Copies the first `rows` rows to shared memory.
  __device__ static void load(const AttentionCall<T>& call, RowsView<const T> from, int rows,
                              C* to) {
    constexpr int kWarps = kThreads / kWarp;
    for (int i = int(threadIdx.x) / kWarp; i < rows; i += kWarps) {
      for (int e = int(threadIdx.x) % kWarp; e < call.width; e += kWarp) {
        to[i * kStride + e] = C(from.data[i * from.stride + e]);
      }
    }
  }
  /// Called by all threads: waits until all loads have arrived and no thread reads older data.
  __device__ static void loaded() {
    finish_copies();
    __syncthreads();
  }

  /// square += own swept^T
  __device__ static void multiply(const Own& own, const C* swept, int width, Square& square) {
    const C* right = swept + column(0) * kStride;
    for (int e = 0; e < width; ++e) {
      add_outer_product(own.from + e, kStride, right + e, kStride, square);
    }
  }
  /// strip += square swept, through `scratch`, where half a warp writes and reads a row.
  __device__ static void accumulate(Square& square, const C* swept, int depth, Strip& strip,
                                    C* scratch) {
    __syncwarp();
    KETTE_UNROLL for (int i = 0; i < kRepeat; ++i) {
      KETTE_UNROLL for (int j = 0; j < kRepeat; ++j) {
        scratch[row(i) * kScratchStride + column(j)] = square.at(i, j);
      }
    }
    __syncwarp();
    const C *left = scratch + row(0) * kScratchStride, *right = swept + column(0);
    for (int d = 0; d < depth; ++d) {
      add_outer_product(left + d, kScratchStride, right + d * kStride, 1, strip);
    }
  }
  /// Writes the strip's first `rows` rows, row(i) times factor(i).
  template <class Factor>
  __device__ static void store(const AttentionCall<T>& call, Strip& strip, const Factor& factor,
                               RowsView<T> to, int rows) {
    KETTE_UNROLL for (int i = 0; i < kRepeat; ++i) {
      KETTE_UNROLL for (int j = 0; j < kSlices; ++j) {
        if (row(i) < rows && column(j) < call.width) {
          to.data[row(i) * to.stride + column(j)] = T(strip.at(i, j) * factor(i));
        }
      }
    }
  }

 private:
  /// sums[i][j] += left[16 i rows on] * right[16 j columns on]
  template <int kCount>
  __device__ static void add_outer_product(const C* left, int left_stride, const C* right,
                                           int right_stride, Sums<kCount>& sums) {
    C x[kRepeat], y[kCount];
    KETTE_UNROLL for (int i = 0; i < kRepeat; ++i) x[i] = left[i * kLanes * left_stride];
    KETTE_UNROLL for (int j = 0; j < kCount; ++j) y[j] = right[j * kLanes * right_stride];
    KETTE_UNROLL for (int i = 0; i < kRepeat; ++i) {
      KETTE_UNROLL for (int j = 0; j < kCount; ++j) sums.at(i, j) += x[i] * y[j];
    }
  }
};

/// A query's statistics for the backward pass: log_sum_exp in powers of 2, and output . o'.
template <class C>
struct alignas(2 * sizeof(C)) QueryStatistic {
  C shift, dot;
};

/// A block's shared memory: own panels and, kBuffers times, two swept ones. If queries are swept, a
/// buffer also has their statistics and dropout masks.
template <class Tile, int kOwnPanels, Side kSide = Side::queries>
struct TileMemory {
  using Stored = typename Tile::Stored;
  using Statistic = QueryStatistic<typename Tile::C>;
  static constexpr int kOwnPanel = Tile::kOwn * Tile::kStride;
  static constexpr int kSweptPanel = Tile::kSwept * Tile::kStride;
  static constexpr int kStored =
      kOwnPanels * kOwnPanel + Tile::kBuffers * 2 * kSweptPanel + Tile::kScratch;
  static constexpr int kQueries = kSide == Side::keys ? Tile::kBuffers * Tile::kSwept : 0;
  static constexpr std::size_t kBytes =
      kStored * sizeof(Stored) + kQueries * (sizeof(Statistic) + 16 * sizeof(std::uint8_t));
  static_assert(Tile::kSwept <= Tile::kOwn && kStored * sizeof(Stored) % sizeof(Statistic) == 0);

  Stored* start = shared_memory<Stored>();

  __device__ Stored* own(int i) const { return start + i * kOwnPanel; }
  __device__ Stored* swept(int buffer, int i) const {
    return own(kOwnPanels) + (2 * buffer + i) * kSweptPanel;
  }
  __device__ Stored* scratch() const { return swept(Tile::kBuffers, 0); }
  __device__ Statistic* statistics(int buffer) const {
    return reinterpret_cast<Statistic*>(start + kStored) + buffer * Tile::kSwept;
  }
  __device__ std::uint8_t* mask(int buffer) const {
    return reinterpret_cast<std::uint8_t*>(statistics(Tile::kBuffers)) + buffer * Tile::kSwept * 16;
  }
};

/// Processes the rows from `start` to `end` a tile at a time. load(first, buffer) starts to copy a
/// tile to shared memory, ready() is called after the first one, and step(first, buffer) computes.
/// With two buffers, the next tile is loaded meanwhile.
template <class Tile, class Load, class Ready, class Step>
__device__ void sweep(int start, int end, const Load& load, const Ready& ready, const Step& step) {
  if (start < end) load(start, 0);
  Tile::loaded();
  ready();
  int buffer = 0;
  for (int first = start; first < end; first += Tile::kSwept) {
    const int next = first + Tile::kSwept, other = Tile::kBuffers - 1 - buffer;
    if (Tile::kBuffers == 2 && next < end) load(next, other);
    step(first, buffer);
    Tile::loaded();
    if (Tile::kBuffers == 1 && next < end) {
      load(next, other);
      Tile::loaded();
    }
    buffer = other;
  }
}

/// square.at(i, j) += slope * (column(j) - row(i) + offset): ALiBi's bias by the distance of query
/// and key.
template <class Tile, class C>
__device__ void add_distances(typename Tile::Square& square, C slope, int offset) {
  if (slope == 0) return;
  KETTE_UNROLL for (int i = 0; i < Tile::kRows; ++i) {
    KETTE_UNROLL for (int j = 0; j < Tile::kColumns; ++j) {
      square.at(i, j) += slope * C(Tile::column(j) - Tile::row(i) + offset);
    }
  }
}

/// Calls step(whole, first, buffer) with a compile-time constant: whether the tile is seen whole.
template <class Step>
__device__ void step_of(bool is_whole, const Step& step, int first, int buffer) {
  if (is_whole) {
    step(std::true_type{}, first, buffer);
  } else {
    step(std::false_type{}, first, buffer);
  }
}

inline constexpr int kWidestHead = 256;

/// Calls function(Tile) with the tile for sequences of up to `longest` rows and heads of `width`.
/// Tiles are as large as the sequences can fill, within 99 KiB of shared memory for f32. One size
/// serves f64, and bf16 heads too wide for the tensor cores' tile, which are rare.
template <class T, int kMostSwept, class Function>
void with_tile(std::int64_t longest, std::int64_t width, const Function& function) {
  KETTE_CHECK(width <= kWidestHead, "attention: expected heads of at most ", kWidestHead,
              " elements on cuda, given ", width);
  const auto of_width = [&]<int kSlices>(std::integral_constant<int, kSlices>) {
    if constexpr (std::is_same_v<T, BFloat16> && kSlices <= 8) {
      constexpr int kWidth = 16 * kSlices;
      if (longest <= 16) return function(TensorCoreTile<1, kMostSwept, kWidth>{});
      if (longest <= 32) return function(TensorCoreTile<2, kMostSwept, kWidth>{});
      return function(TensorCoreTile<4, kMostSwept, kWidth>{});
    } else {
      constexpr int kMost = !std::is_same_v<T, float> || kSlices > 8 ? 1 : kSlices > 4 ? 2 : 4;
      if constexpr (kMost >= 4) {
        if (longest > 32) return function(ThreadTile<T, 4, kSlices>{});
      }
      if constexpr (kMost >= 2) {
        if (longest > 16) return function(ThreadTile<T, 2, kSlices>{});
      }
      return function(ThreadTile<T, 1, kSlices>{});
    }
  };
  if (width <= 32) return of_width(std::integral_constant<int, 2>{});
  if (width <= 64) return of_width(std::integral_constant<int, 4>{});
  if (width <= 128) return of_width(std::integral_constant<int, 8>{});
  return of_width(std::integral_constant<int, 16>{});
}

}  // namespace kette::cuda
