// Attention's backward pass on CUDA, by the formulas of tensor/cpu/attention_backward.cpp. The sum
// in the softmax's gradient is computed once, as sum_k P_ik dP_ik = output_i . o'_i. Then a block
// computes the gradients of a tile of queries, sweeping the keys, or of a tile of keys and values,
// sweeping the queries. Each gradient has one writer, so the order of additions is fixed.
// Probabilities are recomputed as 2^(score log2(e) - log_sum_exp log2(e)).
#include "tensor/cuda/attention_mask.h"
#include "tensor/cuda/attention_tile.h"

namespace kette::kernels {
namespace {

using namespace cuda;

constexpr int kMostSwept = 32;  // two squares and two strips are in registers

template <class T, class C = Compute<T>>
struct BackwardCall {
  AttentionCall<T> forward;
  const T* upstream;  ///< o'
  T *dquery, *dkey, *dvalue;
  QueryStatistic<C>* statistics;  ///< [heads, query rows]
};

constexpr int kRowThreads = 8;

/// kRowThreads threads for each query row of the head; kCount as in pack.h.
template <class T, int kCount>
__global__ void take_statistics(BackwardCall<T> backward) {
  using C = Compute<T>;
  const AttentionCall<T>& call = backward.forward;
  const std::int64_t row = index() / kRowThreads, head = blockIdx.y;
  if (row - threadIdx.x % kWarp / kRowThreads >= call.query_rows) return;  // whole warps
  const bool exists = row < call.query_rows;
  const std::int64_t start = row * call.output_stride + head * call.width;
  C sum = 0;
  for (int e = int(threadIdx.x) % kRowThreads; exists && e < call.width / kCount;
       e += kRowThreads) {
    const auto output = Pack<T, kCount>::load(call.output + start, e);
    const auto upstream = Pack<T, kCount>::load(backward.upstream + start, e);
    KETTE_UNROLL for (int i = 0; i < kCount; ++i) {
      sum += C(output.values[i]) * C(upstream.values[i]);
    }
  }
  for (int distance = kRowThreads / 2; distance > 0; distance /= 2) {
    sum += __shfl_xor_sync(0xffffffffu, sum, distance);
  }
  if (exists && threadIdx.x % kRowThreads == 0) {
    const std::int64_t at = head * call.query_rows + row;
    backward.statistics[at] = {C(std::numbers::log2e) * call.log_sum_exp[at], sum};
  }
}

/// Owns Q and o', sweeps K and V: dP = o' V^T, dQ = ds K.
template <class T, class Tile, bool kDrops>
__global__ void __launch_bounds__(Tile::kThreads, kDrops ? 0 : Tile::kQueryBlocks)
    differentiate_queries(BackwardCall<T> backward) {
  using C = Compute<T>;
  const AttentionCall<T>& call = backward.forward;
  const AttentionHead<T> head(call, Side::queries);
  const int begin = head.tile * Tile::kOwn, rows = scalar::min(Tile::kOwn, head.queries - begin);
  if (rows <= 0) return;

  const TileMemory<Tile, 2> memory;
  const RowsView<const T> key = head.of_keys(call.key, call.key_stride);
  const RowsView<const T> value = head.of_keys(call.value, call.value_stride);
  typename Tile::Own query(memory.own(0)), upstream(memory.own(1));
  Tile::load(call, head.of_queries(call.query, call.query_stride).from(begin), rows, memory.own(0));
  Tile::load(call, head.of_queries(backward.upstream, call.output_stride).from(begin), rows,
             memory.own(1));
  QueryStatistic<C> statistics[Tile::kRows];
  int visible[Tile::kRows];
  KETTE_UNROLL for (int i = 0; i < Tile::kRows; ++i) {
    const int row = begin + scalar::min(Tile::row(i), rows - 1);
    statistics[i] = backward.statistics[head.statistic(row)];
    visible[i] = head.visible_keys(row);
  }
  typename Tile::Strip gradient;
  QueryMask<Tile> mask;
  const KeySpan span(head, begin, rows, kDrops ? kMaskKeys : Tile::kSwept);
  const C slope = head.slope();

  const auto load = [&](int first, int buffer) {
    const int depth = scalar::min(Tile::kSwept, span.end - first);
    Tile::load(call, key.from(first), depth, memory.swept(buffer, 0));
    Tile::load(call, value.from(first), depth, memory.swept(buffer, 1));
  };
  const auto step = [&]<bool kWhole>(std::bool_constant<kWhole>, int first, int buffer) {
    typename Tile::Square scores, dscores;
    Tile::multiply(query, memory.swept(buffer, 0), call.width, scores);
    add_distances<Tile>(scores, slope, first - begin - (head.keys - head.queries));
    Tile::multiply(upstream, memory.swept(buffer, 1), call.width, dscores);
    if constexpr (kDrops) mask.draw(head, begin, first);
    KETTE_UNROLL for (int i = 0; i < Tile::kRows; ++i) {
      KETTE_UNROLL for (int j = 0; j < Tile::kColumns; ++j) {
        C& dscore = dscores.at(i, j);
        const C share = Tile::exp2(call.scale_in_2 * scores.at(i, j) - statistics[i].shift);
        if (kDrops) dscore = mask.keeps(i, j) ? C(call.dropout.scale) * dscore : C(0);
        dscore = share * (dscore - statistics[i].dot);
        if (!kWhole && !head.reaches(first + Tile::column(j), visible[i] - 1)) dscore = 0;
      }
    }
    const int depth = kWhole ? Tile::kSwept : scalar::min(Tile::kSwept, span.end - first);
    Tile::accumulate(dscores, memory.swept(buffer, 0), depth, gradient, memory.scratch());
  };
  const auto ready = [&] {
    query.take();
    upstream.take();
  };
  sweep<Tile>(span.start, span.end, load, ready, [&](int first, int buffer) {
    step_of(span.is_whole(first, Tile::kSwept), step, first, buffer);
  });

  const auto scale = [&](int) { return call.scale; };
  const RowsView<T> dquery = head.of_queries(backward.dquery, call.query_stride);
  Tile::store(call, gradient, scale, dquery.from(begin), rows);
}

/// Owns K and V, sweeps Q and o' of each head that reads them: dP^T = V o'^T, dK = ds^T Q,
/// dV = (M P)^T o'.
template <class T, class Tile, bool kDrops>
__global__ void __launch_bounds__(Tile::kThreads, Tile::kBlocks)
    differentiate_keys(BackwardCall<T> backward) {
  using C = Compute<T>;
  const AttentionCall<T>& call = backward.forward;
  AttentionHead<T> head(call, Side::keys);
  const int begin = head.tile * Tile::kOwn, rows = scalar::min(Tile::kOwn, head.keys - begin);
  if (rows <= 0) return;

  const TileMemory<Tile, 2, Side::keys> memory;
  typename Tile::Own key(memory.own(0)), value(memory.own(1));
  Tile::load(call, head.of_keys(call.key, call.key_stride).from(begin), rows, memory.own(0));
  Tile::load(call, head.of_keys(call.value, call.value_stride).from(begin), rows, memory.own(1));
  int first_query[Tile::kRows];
  KETTE_UNROLL for (int i = 0; i < Tile::kRows; ++i) {
    first_query[i] = head.first_query_of(begin + Tile::row(i));
  }
  typename Tile::Strip gradient, value_gradient;
  // Queries `start` to `end` see some of the keys, queries `shared` to `shared_end` all.
  const int shared = head.first_query_of(begin + rows - 1),
            start = head.first_query_of(begin) > 0 ? head.first_query_of(begin) : 0,
            end = scalar::min(head.queries, shared + head.reach),
            shared_end = scalar::min(end, head.first_query_of(begin) + head.reach);
  RowsView<const T> query, upstream;
  C slope = 0;

  const auto load = [&](int first, int buffer) {
    const int depth = scalar::min(Tile::kSwept, end - first);
    Tile::load(call, query.from(first), depth, memory.swept(buffer, 0));
    Tile::load(call, upstream.from(first), depth, memory.swept(buffer, 1));
    for (int i = int(threadIdx.x); i < depth; i += Tile::kThreads) {
      constexpr int kBytes = sizeof(QueryStatistic<C>);
      start_copy<kBytes>(memory.statistics(buffer) + i,
                         backward.statistics + head.statistic(first + i), true);
    }
    if constexpr (kDrops) {
      KeyMask<Tile>(memory.mask(buffer)).draw(head, first, depth, begin);
    }
  };
  const auto step = [&]<bool kWhole>(std::bool_constant<kWhole>, int first, int buffer) {
    typename Tile::Square scores, dscores;
    Tile::multiply(key, memory.swept(buffer, 0), call.width, scores);
    add_distances<Tile>(scores, -slope, first - begin + (head.keys - head.queries));
    Tile::multiply(value, memory.swept(buffer, 1), call.width, dscores);
    const KeyMask<Tile> mask(memory.mask(buffer));
    KETTE_UNROLL for (int j = 0; j < Tile::kColumns; ++j) {
      const QueryStatistic<C> statistic = memory.statistics(buffer)[Tile::column(j)];
      const int column = first + Tile::column(j);
      KETTE_UNROLL for (int i = 0; i < Tile::kRows; ++i) {
        C &score = scores.at(i, j), &dscore = dscores.at(i, j);
        const bool is_visible =
            kWhole || (head.reaches(first_query[i], column) && column < head.queries);
        score = is_visible ? Tile::exp2(call.scale_in_2 * score - statistic.shift) : C(0);
        const bool keeps = !kDrops || mask.keeps(i, j);
        if (kDrops) dscore = keeps ? C(call.dropout.scale) * dscore : C(0);
        dscore = is_visible ? score * (dscore - statistic.dot) : C(0);
        if (!keeps) score = 0;
      }
    }
    const int depth = kWhole ? Tile::kSwept : scalar::min(Tile::kSwept, end - first);
    Tile::accumulate(dscores, memory.swept(buffer, 0), depth, gradient, memory.scratch());
    Tile::accumulate(scores, memory.swept(buffer, 1), depth, value_gradient, memory.scratch());
  };
  const auto ready = [&] {
    key.take();
    value.take();
  };
  for (int i = 0; i < static_cast<int>(call.pattern.group); ++i, ++head.head) {
    query = head.of_queries(call.query, call.query_stride);
    upstream = head.of_queries(backward.upstream, call.output_stride);
    slope = head.slope();
    sweep<Tile>(start, end, load, ready, [&](int first, int buffer) {
      step_of(first >= shared && first + Tile::kSwept <= shared_end, step, first, buffer);
    });
  }

  const auto scale = [&](int) { return call.scale; };
  const auto kept_scale = [&](int) { return C(call.dropout.scale); };
  const RowsView<T> dkey = head.of_keys(backward.dkey, call.key_stride);
  const RowsView<T> dvalue = head.of_keys(backward.dvalue, call.value_stride);
  Tile::store(call, gradient, scale, dkey.from(begin), rows);
  Tile::store(call, value_gradient, kept_scale, dvalue.from(begin), rows);
}

}  // namespace

void attention_backward(CudaExec exec, const AttentionArgs& args,
                        const AttentionGradients& gradients) {
  gradients.check(args);
  visit_float(args.dtype, "attention", [&]<class T>(T) {
    using C = Compute<T>;
    const Tensor statistics = Tensor::empty({args.heads, args.query_segments.rows(), 2},
                                            dtype_of<C>, {DeviceKind::cuda, exec.device});
    BackwardCall<T> call{
        AttentionCall<T>(exec, args),     static_cast<const T*>(gradients.output_gradient),
        static_cast<T*>(gradients.query), static_cast<T*>(gradients.key),
        static_cast<T*>(gradients.value), static_cast<QueryStatistic<C>*>(statistics.raw())};
    call.forward.in_packs &= whole_packs<T>(
        {}, {gradients.output_gradient, gradients.query, gradients.key, gradients.value});
    Grid over_rows = one_thread_each(args.query_segments.rows() * kRowThreads);
    over_rows.blocks.y = static_cast<unsigned>(args.heads);
    launch(exec, call.forward.in_packs ? take_statistics<T, kPack<T>> : take_statistics<T, 1>,
           over_rows, call);
    const std::int64_t longest =
        std::max(args.query_segments.longest(), args.key_segments.longest());
    with_tile<T, kMostSwept>(longest, args.head_width, [&]<class Tile>(Tile) {
      const bool drops = args.dropout.active();
      const Grid over_queries = call.forward.grid(args.query_segments, args.heads, Tile::kOwn,
                                                  Tile::kThreads, TileMemory<Tile, 2>::kBytes);
      launch(exec,
             drops ? differentiate_queries<T, Tile, true> : differentiate_queries<T, Tile, false>,
             over_queries, call);
      const Grid over_keys =
          call.forward.grid(args.key_segments, args.heads / args.pattern.group, Tile::kOwn,
                            Tile::kThreads, TileMemory<Tile, 2, Side::keys>::kBytes);
      launch(exec, drops ? differentiate_keys<T, Tile, true> : differentiate_keys<T, Tile, false>,
             over_keys, call);
    });
  });
}

}  // namespace kette::kernels
