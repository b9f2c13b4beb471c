// Attention's forward pass on CUDA. A block takes a tile of queries of one head and sequence past
// all keys they see, a tile at a time, with a running softmax (Milakov and Gimelshein 2018; Dao et
// al. 2022): of each query it keeps the peak m of its scores so far, the sum l of exp(s - m), and
// sum exp(s - m) v, and rescales both sums when the peak rises.
//   output = sum exp(s - m) v / l      log_sum_exp = m + log l
#include <limits>

#include "tensor/cuda/attention_tile.h"

namespace kette::kernels {
namespace {

using namespace cuda;

/// Over the lanes of a row.
template <class C>
__device__ C row_max(C value) {
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
    value = scalar::max(value, __shfl_xor_sync(0xffffffffu, value, distance));
  }
  return value;
}

template <class C>
__device__ C row_sum(C value) {
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, distance);
  }
  return value;
}

template <class T, class Size>
__global__ void __launch_bounds__(Size::kThreads) attend(AttentionCall<T> call) {
  using C = Compute<T>;
  constexpr int kTile = Size::kTile, kRepeat = Size::kRepeat, kStride = Size::kStride;
  constexpr C kNothing = -std::numeric_limits<C>::infinity();
  const AttentionHead<T> head(call);
  const int begin = head.tile * kTile, rows = std::min(kTile, head.queries - begin);
  if (rows <= 0) return;

  C* const query = shared_memory<C>();
  C* const key = query + kTile * kStride;
  C* const value = key + kTile * kStride;
  C* const shares = value + kTile * kStride;
  load_rows<kStride>(head.of_queries(call.query, call.query_stride) + begin * call.query_stride,
                     call.query_stride, rows, call.width, query);

  C peak[kRepeat], total[kRepeat], output[kRepeat][Size::kSlices] = {};
  KETTE_UNROLL for (int i = 0; i < kRepeat; ++i) {
    peak[i] = kNothing;
    total[i] = 0;  // of this thread's keys
  }
  const int end = head.seen(begin + rows - 1);
  for (int first = 0; first < end; first += kTile) {
    const int depth = std::min(kTile, end - first);
    load_rows<kStride>(head.of_keys(call.key, call.key_stride) + first * call.key_stride,
                       call.key_stride, depth, call.width, key);
    load_rows<kStride>(head.of_keys(call.value, call.value_stride) + first * call.value_stride,
                       call.value_stride, depth, call.width, value);
    __syncthreads();
    C scores[kRepeat][kRepeat] = {};
    multiply<kRepeat, kRepeat, C>(call.width, {query, kStride, 1}, {key, kStride, 1}, scores);
    KETTE_UNROLL for (int i = 0; i < kRepeat; ++i) {
      const int row = row_lane() + i * kLanes, seen = head.seen(begin + row);
      C highest = peak[i];
      KETTE_UNROLL for (int j = 0; j < kRepeat; ++j) {
        const int column = first + column_lane() + j * kLanes;
        scores[i][j] = column < seen ? call.scale * scores[i][j] : kNothing;
        highest = scalar::max(highest, scores[i][j]);
      }
      highest = row_max(highest);
      const C shift = highest == kNothing ? C(0) : highest;
      const C kept = scalar::exp(peak[i] - shift);
      peak[i] = highest;
      total[i] *= kept;
      KETTE_UNROLL for (C& sum : output[i]) sum *= kept;
      const DropoutColumn dropout = head.dropout(begin + row, first + column_lane());
      KETTE_UNROLL for (int j = 0; j < kRepeat; ++j) {
        const int column = column_lane() + j * kLanes;
        const C share = scalar::exp(scores[i][j] - shift);
        total[i] += share;
        shares[row * Size::kSquareStride + column] = share * C(dropout.at(first + column));
      }
    }
    __syncwarp();  // a row's shares are written and read by the same half of a warp
    multiply<kRepeat, Size::kSlices, C>(depth, {shares, Size::kSquareStride, 1},
                                        {value, 1, kStride}, output);
    __syncthreads();
  }

  KETTE_UNROLL for (int i = 0; i < kRepeat; ++i) {
    const int row = row_lane() + i * kLanes;
    total[i] = row_sum(total[i]);
    if (row < rows && column_lane() == 0) {
      call.log_sum_exp[head.statistic(begin + row)] = peak[i] + scalar::log(total[i]);
    }
  }
  const auto one_over_total = [&](int i) { return total[i] == 0 ? C(0) : C(1) / total[i]; };
  store_rows(output, one_over_total,
             head.of_queries(call.output, call.output_stride) + begin * call.output_stride,
             call.output_stride, rows, call.width);
}

}  // namespace

void attention(CudaExec exec, const AttentionArgs& args) {
  check_attention(args);
  visit_float(args.dtype, "attention", [&]<class T>(T) {
    AttentionCall<T> call(exec, args);
    const std::int64_t longest =
        std::max(args.query_segments.longest(), args.key_segments.longest());
    with_tile_size<T>(longest, args.head_width, [&]<class Size>(Size) {
      const Grid grid = call.grid(args, args.query_segments, Size::kTile, Size::kThreads,
                                  Size::template bytes<Compute<T>>(3));
      launch(exec, attend<T, Size>, grid, call);
    });
  });
}

}  // namespace kette::kernels
