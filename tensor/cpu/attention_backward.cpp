// Attention's backward pass. The probabilities are computed again from the kept log-sum-exp of each
// row. With the scores s = scale * Q K^T, P = softmax(s), M the dropout mask, and o' the gradient
// of the output:
//   dV = (M P)^T o'      dP = M (o' V^T)      ds_ij = P_ij (dP_ij - sum_k P_ik dP_ik)
//   dQ = scale * ds K    dK = ds^T (scale * Q)
#include "tensor/cpu/attention_head.h"

namespace kette::kernels {
namespace {

using cpu::AttentionHead;
using cpu::Panel;

/// A thread's working memory for sequences of up to `keys` keys. A null start only counts the
/// elements.
template <class C>
struct BackwardMemory {
  Panel<C> query, upstream, dquery;           // a block of queries
  Panel<C> key, value, dkey, dvalue;          // the whole sequence
  Panel<C> key_transposed, value_transposed;  // in slices
  Panel<C> scores, dscores;                   // a block of queries by all keys
  std::int64_t elements;

  BackwardMemory(C* start, std::int64_t keys, std::int64_t head_width) {
    cpu::Carver<C> carver(start);
    const std::int64_t width = cpu::round_up(head_width, cpu::Simd<C>::kLanes);
    const std::int64_t columns = cpu::round_up(keys, cpu::kTileWidth<C>);
    for (Panel<C>* panel : {&query, &upstream, &dquery})
      *panel = carver.take(cpu::kQueryBlock, width);
    for (Panel<C>* panel : {&key, &value, &dkey, &dvalue, &key_transposed, &value_transposed}) {
      *panel = carver.take(columns, width);
    }
    for (Panel<C>* panel : {&scores, &dscores}) *panel = carver.take(cpu::kQueryBlock, columns);
    elements = carver.used();
  }
};

/// Row of scores to M P, row of dP (before the mask) to ds; both 0 from `seen` to `columns` on.
template <class C>
void differentiate_row(C* scores, C* dscores, std::int64_t seen, std::int64_t columns,
                       C log_sum_exp, const float* factors) {
  const auto apply_mask = [&](C* row) {
    if (!factors) return;
#pragma omp simd
    for (std::int64_t j = 0; j < seen; ++j) row[j] *= C(factors[j]);
  };
  std::fill(scores + seen, scores + columns, -std::numeric_limits<C>::infinity());
  std::fill(dscores + seen, dscores + columns, C(0));
  if (seen == 0) log_sum_exp = 0;  // was minus infinity
  apply_mask(dscores);
  C dot = 0;
#pragma omp simd reduction(+ : dot)
  for (std::int64_t j = 0; j < columns; ++j) {
    scores[j] = scalar::exp(scores[j] - log_sum_exp);
    dot += scores[j] * dscores[j];
  }
#pragma omp simd
  for (std::int64_t j = 0; j < columns; ++j) dscores[j] = scores[j] * (dscores[j] - dot);
  apply_mask(scores);
}

template <class T, class C = Compute<T>>
void differentiate(const AttentionHead<T>& head, const AttentionGradients& gradients,
                   const BackwardMemory<C>& memory, float* factors) {
  constexpr std::int64_t kLanes = cpu::Simd<C>::kLanes, kSlice = cpu::kTileWidth<C>;
  const AttentionArgs& args = head.args;
  const std::int64_t width = memory.key.stride;
  head.load(args.key, args.key_stride, head.first_key, head.keys, C(1), memory.key);
  head.load(args.value, args.value_stride, head.first_key, head.keys, C(1), memory.value);
  cpu::transpose_panel(memory.key, head.keys, head.width, memory.key_transposed.data);
  cpu::transpose_panel(memory.value, head.keys, head.width, memory.value_transposed.data);
  std::fill_n(memory.dkey.data, head.keys * width, C(0));
  std::fill_n(memory.dvalue.data, head.keys * width, C(0));
  for (std::int64_t begin = 0; begin < head.queries; begin += cpu::kQueryBlock) {
    const std::int64_t rows = std::min(cpu::kQueryBlock, head.queries - begin);
    const std::int64_t keys = head.seen(begin + rows - 1), columns = cpu::round_up(keys, kLanes);
    const std::int64_t first = head.first_query + begin;
    head.load(args.query, args.query_stride, first, rows, C(args.scale), memory.query);
    head.load(gradients.output_gradient, args.output_stride, first, rows, C(1), memory.upstream);
    const auto against_keys = [&](Panel<C> left, Panel<C> transposed, Panel<C> result) {
      cpu::multiply_panel<C>(rows, columns, head.width, left.by_rows(), {transposed.data, kSlice},
                             head.width * kSlice, 0, result);
    };
    against_keys(memory.query, memory.key_transposed, memory.scores);
    against_keys(memory.upstream, memory.value_transposed, memory.dscores);
    for (std::int64_t i = 0; i < rows; ++i) {
      if (args.dropout.active()) head.draw_mask(begin + i, factors);
      differentiate_row(memory.scores.data + i * memory.scores.stride,
                        memory.dscores.data + i * memory.dscores.stride, head.seen(begin + i),
                        columns, *head.log_sum_exp(begin + i),
                        args.dropout.active() ? factors : nullptr);
    }
    cpu::multiply_panel<C>(keys, width, rows, memory.scores.by_columns(), memory.upstream, kSlice,
                           1, memory.dvalue);
    cpu::multiply_panel<C>(keys, width, rows, memory.dscores.by_columns(), memory.query, kSlice, 1,
                           memory.dkey);
    cpu::multiply_panel<C>(rows, width, keys, memory.dscores.by_rows(), memory.key, kSlice, 0,
                           memory.dquery);
    head.store(memory.dquery, C(args.scale), first, rows, gradients.query, args.query_stride);
  }
  head.store(memory.dkey, C(1), head.first_key, head.keys, gradients.key, args.key_stride);
  head.store(memory.dvalue, C(1), head.first_key, head.keys, gradients.value, args.value_stride);
}

}  // namespace

void attention_backward(CpuExec, const AttentionArgs& args, const AttentionGradients& gradients) {
  cpu::check_attention(args);
  visit_float(args.dtype, "attention", [&]<class T>(T) {
    using C = Compute<T>;
    const std::int64_t longest = args.key_segments.longest();
    cpu::for_heads<T>(args, BackwardMemory<C>(nullptr, longest, args.head_width).elements,
                      [&](const AttentionHead<T>& head, C* start, float* factors) {
                        differentiate<T>(head, gradients,
                                         BackwardMemory<C>(start, longest, args.head_width),
                                         factors);
                      });
  });
}

}  // namespace kette::kernels
