// Attention's forward pass on CUDA. A block takes a tile of queries of one head and sequence past
// all keys they see, a tile at a time, with a running softmax (Milakov and Gimelshein 2018; Dao et
// al. 2022): for each query it keeps the peak m of its scores s so far, the sum l of exp(s - m),
// and the sum of exp(s - m) v, and rescales both sums when the peak rises.
//   output = sum exp(s - m) v / l      log_sum_exp = m + log l
// Powers are of 2, since (s - m) log2(e) is one multiply-add. Tiles that every query of the block
// sees whole have their own path, without comparisons.
#include <limits>

#include "tensor/cuda/attention_mask.h"
#include "tensor/cuda/attention_tile.h"

namespace kette::kernels {
namespace {

using namespace cuda;

constexpr int kMostSwept = 64;

__device__ float larger(float x, float y) { return fmaxf(x, y); }
__device__ double larger(double x, double y) { return fmax(x, y); }

/// Over the threads that share a row.
template <class Tile, class C>
__device__ C row_max(C value) {
  for (int distance = Tile::kRowLanes / 2; distance > 0; distance /= 2) {
    value = larger(value, __shfl_xor_sync(0xffffffffu, value, distance));
  }
  return value;
}

template <class Tile, class C>
__device__ C row_sum(C value) {
  for (int distance = Tile::kRowLanes / 2; distance > 0; distance /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, distance);
  }
  return value;
}

template <class T, class Tile, bool kDrops>
__global__ void __launch_bounds__(Tile::kThreads, kDrops ? 0 : Tile::kQueryBlocks)
    attend(AttentionCall<T> call) {
  using C = Compute<T>;
  constexpr C kNothing = -std::numeric_limits<C>::infinity();
  const AttentionHead<T> head(call, Side::queries);
  const int begin = head.tile * Tile::kOwn, rows = scalar::min(Tile::kOwn, head.queries - begin);
  if (rows <= 0) return;

  const TileMemory<Tile, 1> memory;
  const RowsView<const T> key = head.of_keys(call.key, call.key_stride);
  const RowsView<const T> value = head.of_keys(call.value, call.value_stride);
  typename Tile::Own query(memory.own(0));
  Tile::load(call, head.of_queries(call.query, call.query_stride).from(begin), rows, memory.own(0));

  C peak[Tile::kRows], total[Tile::kRows];  // `total` is of this thread's keys
  int visible[Tile::kRows];
  KETTE_UNROLL for (int i = 0; i < Tile::kRows; ++i) {
    peak[i] = kNothing;
    total[i] = 0;
    visible[i] = head.visible_keys(begin + Tile::row(i));
  }
  typename Tile::Strip output;
  QueryMask<Tile> mask;
  const KeySpan span(head, begin, rows, kDrops ? kMaskKeys : Tile::kSwept);
  const C slope = head.slope();

  const auto load = [&](int first, int buffer) {
    const int depth = scalar::min(Tile::kSwept, span.end - first);
    Tile::load(call, key.from(first), depth, memory.swept(buffer, 0));
    Tile::load(call, value.from(first), depth, memory.swept(buffer, 1));
  };
  const auto step = [&]<bool kWhole>(std::bool_constant<kWhole>, int first, int buffer) {
    typename Tile::Square scores;
    Tile::multiply(query, memory.swept(buffer, 0), call.width, scores);
    add_distances<Tile>(scores, slope, first - begin - (head.keys - head.queries));
    if constexpr (kDrops) mask.draw(head, begin, first);
    KETTE_UNROLL for (int i = 0; i < Tile::kRows; ++i) {
      C highest = peak[i];
      KETTE_UNROLL for (int j = 0; j < Tile::kColumns; ++j) {
        C& score = scores.at(i, j);
        if (!kWhole && !head.reaches(first + Tile::column(j), visible[i] - 1)) score = kNothing;
        highest = larger(highest, score);
      }
      highest = row_max<Tile>(highest);
      const C shift = !kWhole && highest == kNothing ? C(0) : call.scale_in_2 * highest;
      // Exactly 1 if the peak stays: the multiply-add would not cancel to 0.
      const C kept = peak[i] == highest ? C(1) : Tile::exp2(call.scale_in_2 * peak[i] - shift);
      peak[i] = highest;
      total[i] *= kept;
      KETTE_UNROLL for (int j = 0; j < Tile::Strip::kColumns; ++j) output.at(i, j) *= kept;
      KETTE_UNROLL for (int j = 0; j < Tile::kColumns; ++j) {
        C& score = scores.at(i, j);
        score = Tile::exp2(call.scale_in_2 * score - shift);
        total[i] += score;
        if (kDrops && !mask.keeps(i, j)) score = 0;
      }
    }
    const int depth = kWhole ? Tile::kSwept : scalar::min(Tile::kSwept, span.end - first);
    Tile::accumulate(scores, memory.swept(buffer, 1), depth, output, memory.scratch());
  };
  sweep<Tile>(
      span.start, span.end, load, [&] { query.take(); },
      [&](int first, int buffer) {
        step_of(span.is_whole(first, Tile::kSwept), step, first, buffer);
      });

  KETTE_UNROLL for (int i = 0; i < Tile::kRows; ++i) {
    total[i] = row_sum<Tile>(total[i]);
    if (Tile::row(i) < rows && Tile::column(0) == 0) {
      call.log_sum_exp[head.statistic(begin + Tile::row(i))] =
          call.scale * peak[i] + scalar::log(total[i]);
    }
  }
  const C kept_scale = C(call.dropout.scale);
  const auto factor = [&](int i) { return total[i] == 0 ? C(0) : kept_scale / total[i]; };
  Tile::store(call, output, factor, head.of_queries(call.output, call.output_stride).from(begin),
              rows);
}

}  // namespace

void attention(CudaExec exec, const AttentionArgs& args) {
  args.check();
  visit_float(args.dtype, "attention", [&]<class T>(T) {
    AttentionCall<T> call(exec, args);
    const std::int64_t longest =
        std::max(args.query_segments.longest(), args.key_segments.longest());
    with_tile<T, kMostSwept>(longest, args.head_width, [&]<class Tile>(Tile) {
      const Grid grid = call.grid(args.query_segments, args.heads, Tile::kOwn, Tile::kThreads,
                                  TileMemory<Tile, 1>::kBytes);
      launch(exec, args.dropout.active() ? attend<T, Tile, true> : attend<T, Tile, false>, grid,
             call);
    });
  });
}

}  // namespace kette::kernels
