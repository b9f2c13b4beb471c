// Attention's forward pass on CUDA. A block takes a tile of queries of one head and sequence past
// all keys they see, a tile at a time, with a running softmax (Milakov and Gimelshein 2018; Dao et
// al. 2022): of each query it keeps the peak m of its scores s so far, the sum l of exp(s - m), and
// the sum of exp(s - m) v, and rescales both sums when the peak rises.
//   output = sum exp(s - m) v / l      log_sum_exp = m + log l
#include <limits>

#include "tensor/cuda/attention_tile.h"

namespace kette::kernels {
namespace {

using namespace cuda;

constexpr int kMostSwept = 64;

/// Over the threads that share a row.
template <class Tile, class C>
__device__ C row_max(C value) {
  for (int distance = Tile::kRowLanes / 2; distance > 0; distance /= 2) {
    value = scalar::max(value, __shfl_xor_sync(0xffffffffu, value, distance));
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

template <class T, class Tile>
__global__ void __launch_bounds__(Tile::kThreads) attend(AttentionCall<T> call) {
  using C = Compute<T>;
  constexpr C kNothing = -std::numeric_limits<C>::infinity();
  const AttentionHead<T> head(call);
  const int begin = head.tile * Tile::kOwn, rows = smaller(Tile::kOwn, head.queries - begin);
  if (rows <= 0) return;

  const TileMemory<Tile, 1> memory;
  const Panel<const T> key = head.of_keys(call.key, call.key_stride);
  const Panel<const T> value = head.of_keys(call.value, call.value_stride);
  auto mask = memory.template mask<Tile::kSwept>(call.dropout);
  Tile::load(call, head.of_queries(call.query, call.query_stride).from(begin), rows, memory.own(0));

  C peak[Tile::kRows], total[Tile::kRows];  // `total` is of this thread's keys
  KETTE_UNROLL for (int i = 0; i < Tile::kRows; ++i) {
    peak[i] = kNothing;
    total[i] = 0;
  }
  typename Tile::Strip output;
  const int end = head.seen(begin + rows - 1);
  for (int first = 0; first < end; first += Tile::kSwept) {
    const int depth = smaller(Tile::kSwept, end - first);
    Tile::load(call, key.from(first), depth, memory.swept(0));
    Tile::load(call, value.from(first), depth, memory.swept(1));
    mask.draw(head, begin, rows, first);
    Tile::loaded();
    typename Tile::Square scores;
    Tile::multiply(memory.own(0), memory.swept(0), call.width, scores);
    KETTE_UNROLL for (int i = 0; i < Tile::kRows; ++i) {
      const int query = begin + Tile::row(i);
      C highest = peak[i];
      KETTE_UNROLL for (int j = 0; j < Tile::kColumns; ++j) {
        C& score = scores.at(i, j);
        score = head.sees(query, first + Tile::column(j)) ? call.scale * score : kNothing;
        highest = scalar::max(highest, score);
      }
      highest = row_max<Tile>(highest);
      const C shift = highest == kNothing ? C(0) : highest;
      const C kept = Tile::exp(peak[i] - shift);
      peak[i] = highest;
      total[i] *= kept;
      KETTE_UNROLL for (int j = 0; j < Tile::Strip::kColumns; ++j) output.at(i, j) *= kept;
      KETTE_UNROLL for (int j = 0; j < Tile::kColumns; ++j) {
        const C share = Tile::exp(scores.at(i, j) - shift);
        total[i] += share;
        scores.at(i, j) = share * C(mask.at(Tile::row(i), Tile::column(j)));
      }
    }
    Tile::accumulate(scores, memory.swept(1), depth, output, memory.scratch());
    __syncthreads();
  }

  KETTE_UNROLL for (int i = 0; i < Tile::kRows; ++i) {
    total[i] = row_sum<Tile>(total[i]);
    if (Tile::row(i) < rows && Tile::column(0) == 0) {
      call.log_sum_exp[head.statistic(begin + Tile::row(i))] = peak[i] + scalar::log(total[i]);
    }
  }
  const auto one_over_total = [&](int i) { return total[i] == 0 ? C(0) : C(1) / total[i]; };
  Tile::store(call, output, one_over_total,
              head.of_queries(call.output, call.output_stride).from(begin), rows);
}

}  // namespace

void attention(CudaExec exec, const AttentionArgs& args) {
  args.check();
  visit_float(args.dtype, "attention", [&]<class T>(T) {
    AttentionCall<T> call(exec, args);
    const std::int64_t longest =
        std::max(args.query_segments.longest(), args.key_segments.longest());
    with_tile<T, kMostSwept>(longest, args.head_width, [&]<class Tile>(Tile) {
      const Grid grid = call.grid(args, args.query_segments, Tile::kOwn, Tile::kThreads,
                                  TileMemory<Tile, 1>::kBytes);
      launch(exec, attend<T, Tile>, grid, call);
    });
  });
}

}  // namespace kette::kernels
