// Attention's backward pass on CUDA, by the formulas of tensor/cpu/attention_backward.cpp. The sum
// in the softmax's gradient is taken once, as sum_k P_ik dP_ik = output_i . o'_i; then a block
// computes the gradients of a tile of queries, sweeping the keys, or of a tile of keys and values,
// sweeping the queries. Each gradient has one writer, so the order of additions is fixed.
#include "tensor/cuda/attention_tile.h"

namespace kette::kernels {
namespace {

using namespace cuda;

/// A warp for each query row and head: dots[head, row] = output . o'.
template <class T, class C = Compute<T>>
__global__ void dot_rows(AttentionCall<T> call, const T* upstream, std::int64_t heads, C* dots) {
  const std::int64_t row = index() / kWarp / heads, head = index() / kWarp % heads;
  if (row >= call.query_rows) return;
  const std::int64_t start = row * call.output_stride + head * call.width;
  C sum = 0;
  for (int e = static_cast<int>(threadIdx.x) % kWarp; e < call.width; e += kWarp) {
    sum += C(call.output[start + e]) * C(upstream[start + e]);
  }
  sum = warp_sum(sum);
  if (threadIdx.x % kWarp == 0) dots[head * call.query_rows + row] = sum;
}

/// Rows of a matrix of one head; row 0 is the sequence's first.
template <class T>
struct Panel {
  T* data;
  std::int64_t stride;
  __device__ T* row(int i) const { return data + i * stride; }
};

template <class T, class C = Compute<T>>
struct BackwardCall {
  AttentionCall<T> forward;
  const T* upstream;
  T *dquery, *dkey, *dvalue;
  const C* dots;
};

/// What a block owns a tile of.
enum class Side { queries, keys };

/// Tiles are [own rows, swept rows]. With the queries as its own, a block has Q and o' and sweeps K
/// and V; with the keys, it has K and V and sweeps Q and o'. Either way the scores are a product of
/// the first of both pairs, dP is one of the second, and ds times the swept first is a gradient.
template <class T, class Size, Side kSide>
__global__ void __launch_bounds__(Size::kThreads) differentiate(BackwardCall<T> backward) {
  using C = Compute<T>;
  constexpr int kTile = Size::kTile, kRepeat = Size::kRepeat, kStride = Size::kStride;
  constexpr bool kOwnsKeys = kSide == Side::keys;
  const AttentionCall<T>& call = backward.forward;
  const AttentionHead<T> head(call);
  const int begin = head.tile * kTile, own_rows = kOwnsKeys ? head.keys : head.queries;
  const int rows = std::min(kTile, own_rows - begin);
  if (rows <= 0) return;

  const Panel<const T> query{head.of_queries(call.query, call.query_stride), call.query_stride};
  const Panel<const T> upstream{head.of_queries(backward.upstream, call.output_stride),
                                call.output_stride};
  const Panel<const T> key{head.of_keys(call.key, call.key_stride), call.key_stride};
  const Panel<const T> value{head.of_keys(call.value, call.value_stride), call.value_stride};
  C* const own_first = shared_memory<C>();
  C* const own_second = own_first + kTile * kStride;
  C* const swept_first = own_second + kTile * kStride;
  C* const swept_second = swept_first + kTile * kStride;
  C* const square = swept_second + kTile * kStride;
  const auto load = [&](Panel<const T> panel, int first, int count, C* to) {
    load_rows<kStride>(panel.row(first), panel.stride, count, call.width, to);
  };
  load(kOwnsKeys ? key : query, begin, rows, own_first);
  load(kOwnsKeys ? value : upstream, begin, rows, own_second);

  const int query_lane = kOwnsKeys ? column_lane() : row_lane();
  const int key_lane = kOwnsKeys ? row_lane() : column_lane();
  C gradient_first[kRepeat][Size::kSlices] = {}, gradient_second[kRepeat][Size::kSlices] = {};
  const int start = kOwnsKeys ? head.first_to_see(begin) / kTile * kTile : 0;
  const int end = kOwnsKeys ? head.queries : head.seen(begin + rows - 1);
  for (int first = start; first < end; first += kTile) {
    const int depth = std::min(kTile, end - first);
    load(kOwnsKeys ? query : key, first, depth, swept_first);
    load(kOwnsKeys ? upstream : value, first, depth, swept_second);
    __syncthreads();
    C scores[kRepeat][kRepeat] = {}, dscores[kRepeat][kRepeat] = {};
    multiply<kRepeat, kRepeat, C>(call.width, {own_first, kStride, 1}, {swept_first, kStride, 1},
                                  scores);
    multiply<kRepeat, kRepeat, C>(call.width, {own_second, kStride, 1}, {swept_second, kStride, 1},
                                  dscores);
    const int first_query = (kOwnsKeys ? first : begin) + query_lane;
    const int first_key = (kOwnsKeys ? begin : first) + key_lane;
    KETTE_UNROLL for (int q = 0; q < kRepeat; ++q) {
      const int row = first_query + q * kLanes, seen = head.seen(row);
      const std::int64_t at = head.statistic(row);
      const C log_sum_exp = seen > 0 ? call.log_sum_exp[at] : C(0);
      const C dot = seen > 0 ? backward.dots[at] : C(0);
      const DropoutColumn dropout = head.dropout(row, first_key);
      KETTE_UNROLL for (int k = 0; k < kRepeat; ++k) {
        const int column = first_key + k * kLanes;
        const bool is_seen = column < seen;
        C& score = kOwnsKeys ? scores[k][q] : scores[q][k];
        C& dscore = kOwnsKeys ? dscores[k][q] : dscores[q][k];
        const C share = is_seen ? scalar::exp(call.scale * score - log_sum_exp) : C(0);
        const C factor = C(dropout.at(column));
        score = share * factor;
        dscore = is_seen ? share * (factor * dscore - dot) : C(0);
      }
    }
    // gradient += tile * swept, through shared memory; a row stays within half a warp.
    const auto accumulate = [&](const C(&tile)[kRepeat][kRepeat], const C* swept,
                                C(&gradient)[kRepeat][Size::kSlices]) {
      __syncwarp();
      KETTE_UNROLL for (int i = 0; i < kRepeat; ++i) {
        KETTE_UNROLL for (int j = 0; j < kRepeat; ++j) {
          square[(row_lane() + i * kLanes) * Size::kSquareStride + column_lane() + j * kLanes] =
              tile[i][j];
        }
      }
      __syncwarp();
      multiply<kRepeat, Size::kSlices, C>(depth, {square, Size::kSquareStride, 1},
                                          {swept, 1, kStride}, gradient);
    };
    accumulate(dscores, swept_first, gradient_first);
    if constexpr (kOwnsKeys) accumulate(scores, swept_second, gradient_second);
    __syncthreads();
  }

  const auto scale = [&](int) { return call.scale; };
  if constexpr (kOwnsKeys) {
    store_rows(gradient_first, scale,
               head.of_keys(backward.dkey, call.key_stride) + begin * call.key_stride,
               call.key_stride, rows, call.width);
    store_rows(
        gradient_second, [](int) { return C(1); },
        head.of_keys(backward.dvalue, call.value_stride) + begin * call.value_stride,
        call.value_stride, rows, call.width);
  } else {
    store_rows(gradient_first, scale,
               head.of_queries(backward.dquery, call.query_stride) + begin * call.query_stride,
               call.query_stride, rows, call.width);
  }
}

}  // namespace

void attention_backward(CudaExec exec, const AttentionArgs& args,
                        const AttentionGradients& gradients) {
  check_attention(args);
  visit_float(args.dtype, "attention", [&]<class T>(T) {
    using C = Compute<T>;
    const Tensor dots = Tensor::empty({args.heads, args.query_segments.rows()}, dtype_of<C>,
                                      {DeviceKind::cuda, exec.device});
    BackwardCall<T> call{
        AttentionCall<T>(exec, args),     static_cast<const T*>(gradients.output_gradient),
        static_cast<T*>(gradients.query), static_cast<T*>(gradients.key),
        static_cast<T*>(gradients.value), dots.data<C>()};
    launch(exec, dot_rows<T>, one_thread_each(dots.elements() * kWarp), call.forward, call.upstream,
           args.heads, dots.data<C>());
    const std::int64_t longest =
        std::max(args.query_segments.longest(), args.key_segments.longest());
    with_tile_size<T>(longest, args.head_width, [&]<class Size>(Size) {
      const auto grid = [&](const Segments& segments) {
        return call.forward.grid(args, segments, Size::kTile, Size::kThreads,
                                 Size::template bytes<C>(4));
      };
      const Grid over_queries = grid(args.query_segments);
      launch(exec, differentiate<T, Size, Side::queries>, over_queries, call);
      const Grid over_keys = grid(args.key_segments);
      launch(exec, differentiate<T, Size, Side::keys>, over_keys, call);
    });
  });
}

}  // namespace kette::kernels
