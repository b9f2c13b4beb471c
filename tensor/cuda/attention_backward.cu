// Attention's backward pass on CUDA, by the formulas of tensor/cpu/attention_backward.cpp. The sum
// in the softmax's gradient is taken once, as sum_k P_ik dP_ik = output_i . o'_i; then a block
// computes the gradients of a tile of queries, sweeping the keys, or of a tile of keys and values,
// sweeping the queries. Each gradient has one writer, so the order of additions is fixed.
#include "tensor/cuda/attention_tile.h"

namespace kette::kernels {
namespace {

using namespace cuda;

constexpr int kMostSwept = 32;  // there are two squares and two strips to keep in registers

template <class T, class C = Compute<T>>
struct BackwardCall {
  AttentionCall<T> forward;
  const T* upstream;  ///< o'
  T *dquery, *dkey, *dvalue;
  C* dots;  ///< [heads, query rows]: output . o'
};

/// A warp for each query row and head.
template <class T>
__global__ void dot_rows(BackwardCall<T> backward, std::int64_t heads) {
  using C = Compute<T>;
  const AttentionCall<T>& call = backward.forward;
  const std::int64_t row = index() / kWarp / heads, head = index() / kWarp % heads;
  if (row >= call.query_rows) return;
  const std::int64_t start = row * call.output_stride + head * call.width;
  C sum = 0;
  for (int e = static_cast<int>(threadIdx.x) % kWarp; e < call.width; e += kWarp) {
    sum += C(call.output[start + e]) * C(backward.upstream[start + e]);
  }
  sum = warp_sum(sum);
  if (threadIdx.x % kWarp == 0) backward.dots[head * call.query_rows + row] = sum;
}

/// What a block owns a tile of.
enum class Side { queries, keys };

/// With the queries as its own, a block has Q and o' and sweeps K and V; with the keys, it has K
/// and V and sweeps Q and o'. Either way the scores are a product of the first of both pairs and dP
/// is one of the second; ds times the swept first is dQ or dK, and M P times the swept second dV.
template <class T, class Tile, Side kSide>
__global__ void __launch_bounds__(Tile::kThreads) differentiate(BackwardCall<T> backward) {
  using C = Compute<T>;
  constexpr bool kOwnsKeys = kSide == Side::keys;
  constexpr int kMaskKeys = kOwnsKeys ? Tile::kOwn : Tile::kSwept;
  const AttentionCall<T>& call = backward.forward;
  const AttentionHead<T> head(call);
  const int begin = head.tile * Tile::kOwn;
  const int rows = smaller(Tile::kOwn, (kOwnsKeys ? head.keys : head.queries) - begin);
  if (rows <= 0) return;

  const TileMemory<Tile, 2> memory;
  C* const log_sum_exp = memory.statistic(0);
  C* const dots = memory.statistic(1);
  auto mask = memory.template mask<kMaskKeys>(call.dropout);
  const Panel<const T> query = head.of_queries(call.query, call.query_stride);
  const Panel<const T> upstream = head.of_queries(backward.upstream, call.output_stride);
  const Panel<const T> key = head.of_keys(call.key, call.key_stride);
  const Panel<const T> value = head.of_keys(call.value, call.value_stride);
  const auto load_statistics = [&](int first, int count) {
    for (int i = static_cast<int>(threadIdx.x); i < count; i += Tile::kThreads) {
      log_sum_exp[i] = call.log_sum_exp[head.statistic(first + i)];
      dots[i] = backward.dots[head.statistic(first + i)];
    }
  };
  Tile::load(call, (kOwnsKeys ? key : query).from(begin), rows, memory.own(0));
  Tile::load(call, (kOwnsKeys ? value : upstream).from(begin), rows, memory.own(1));
  if (!kOwnsKeys) load_statistics(begin, rows);

  typename Tile::Strip gradient, value_gradient;
  const int start = kOwnsKeys ? head.first_to_see(begin) : 0;
  const int end = kOwnsKeys ? head.queries : head.seen(begin + rows - 1);
  for (int first = start; first < end; first += Tile::kSwept) {
    const int depth = smaller(Tile::kSwept, end - first);
    Tile::load(call, (kOwnsKeys ? query : key).from(first), depth, memory.swept(0));
    Tile::load(call, (kOwnsKeys ? upstream : value).from(first), depth, memory.swept(1));
    if (kOwnsKeys) load_statistics(first, depth);
    mask.draw(head, kOwnsKeys ? first : begin, kOwnsKeys ? depth : rows, kOwnsKeys ? begin : first);
    Tile::loaded();
    typename Tile::Square scores, dscores;
    Tile::multiply(memory.own(0), memory.swept(0), call.width, scores);
    Tile::multiply(memory.own(1), memory.swept(1), call.width, dscores);
    KETTE_UNROLL for (int i = 0; i < Tile::kRows; ++i) {
      KETTE_UNROLL for (int j = 0; j < Tile::kColumns; ++j) {
        const int own = Tile::row(i), swept = Tile::column(j);
        const int q = kOwnsKeys ? swept : own, k = kOwnsKeys ? own : swept;
        const bool sees =
            head.sees((kOwnsKeys ? first : begin) + q, (kOwnsKeys ? begin : first) + k);
        C &score = scores.at(i, j), &dscore = dscores.at(i, j);
        const C share = sees ? Tile::exp(call.scale * score - log_sum_exp[q]) : C(0);
        const C factor = C(mask.at(q, k));
        score = share * factor;
        dscore = sees ? share * (factor * dscore - dots[q]) : C(0);
      }
    }
    Tile::accumulate(dscores, memory.swept(0), depth, gradient, memory.scratch());
    if constexpr (kOwnsKeys) {
      Tile::accumulate(scores, memory.swept(1), depth, value_gradient, memory.scratch());
    }
    __syncthreads();
  }

  const auto scale = [&](int) { return call.scale; };
  if constexpr (kOwnsKeys) {
    const auto one = [](int) { return C(1); };
    const Panel<T> dkey = head.of_keys(backward.dkey, call.key_stride);
    const Panel<T> dvalue = head.of_keys(backward.dvalue, call.value_stride);
    Tile::store(call, gradient, scale, dkey.from(begin), rows);
    Tile::store(call, value_gradient, one, dvalue.from(begin), rows);
  } else {
    const Panel<T> dquery = head.of_queries(backward.dquery, call.query_stride);
    Tile::store(call, gradient, scale, dquery.from(begin), rows);
  }
}

}  // namespace

void attention_backward(CudaExec exec, const AttentionArgs& args,
                        const AttentionGradients& gradients) {
  args.check();
  visit_float(args.dtype, "attention", [&]<class T>(T) {
    using C = Compute<T>;
    const Tensor dots = Tensor::empty({args.heads, args.query_segments.rows()}, dtype_of<C>,
                                      {DeviceKind::cuda, exec.device});
    BackwardCall<T> call{
        AttentionCall<T>(exec, args),     static_cast<const T*>(gradients.output_gradient),
        static_cast<T*>(gradients.query), static_cast<T*>(gradients.key),
        static_cast<T*>(gradients.value), dots.data<C>()};
    call.forward.is_packed &= whole_packs<T>(
        {}, {gradients.output_gradient, gradients.query, gradients.key, gradients.value});
    launch(exec, dot_rows<T>, one_thread_each(dots.elements() * kWarp), call, args.heads);
    const std::int64_t longest =
        std::max(args.query_segments.longest(), args.key_segments.longest());
    with_tile<T, kMostSwept>(longest, args.head_width, [&]<class Tile>(Tile) {
      const auto grid = [&](const Segments& segments) {
        return call.forward.grid(args, segments, Tile::kOwn, Tile::kThreads,
                                 TileMemory<Tile, 2>::kBytes);
      };
      const Grid over_queries = grid(args.query_segments);
      launch(exec, differentiate<T, Tile, Side::queries>, over_queries, call);
      const Grid over_keys = grid(args.key_segments);
      launch(exec, differentiate<T, Tile, Side::keys>, over_keys, call);
    });
  });
}

}  // namespace kette::kernels
