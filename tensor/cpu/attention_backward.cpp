// Attention's backward pass. The probabilities are computed again from the kept log-sum-exp of each
// row. With the scores s = scale * Q K^T, P = softmax(s), M the dropout mask, and o' the gradient
// of the output:
//   dV = (M P)^T o'      dP = M (o' V^T)      ds_ij = P_ij (dP_ij - sum_k P_ik dP_ik)
//   dQ = scale * ds K    dK = scale * ds^T Q
#include "tensor/cpu/attention_head.h"

namespace kette::kernels {
namespace {

using cpu::AttentionHead;
using cpu::Simd;

/// A thread's working memory for sequences of up to `keys` keys. A null start counts elements only.
template <class C>
struct BackwardMemory {
  RowsView<C> query, upstream, dquery;           // a block of queries
  RowsView<C> key, value, dkey, dvalue;          // the whole sequence
  RowsView<C> key_transposed, value_transposed;  // in slices
  RowsView<C> scores, dscores;                   // a block of queries by all keys
  std::int64_t elements;

  BackwardMemory(C* start, std::int64_t keys, std::int64_t head_width) {
    cpu::Arena<C> arena(start);
    const std::int64_t width = cpu::round_up(head_width, Simd<C>::kLanes);
    const std::int64_t columns = cpu::round_up(keys, cpu::kTileWidth<C>);
    for (RowsView<C>* panel : {&query, &upstream, &dquery})
      *panel = arena.take(cpu::kQueryBlock, width);
    for (RowsView<C>* panel : {&key, &value, &dkey, &dvalue, &key_transposed, &value_transposed}) {
      *panel = arena.take(columns, width);
    }
    for (RowsView<C>* panel : {&scores, &dscores}) *panel = arena.take(cpu::kQueryBlock, columns);
    elements = arena.used();
  }
};

/// A row of scores to M P, and of dP (before the mask) to ds; both 0 from `visible` to `columns` on,
/// which are whole vectors.
template <class C>
void softmax_row_backward(C* scores, C* dscores, std::int64_t visible, std::int64_t columns,
                          C log_sum_exp, const float* factors) {
  using S = Simd<C>;
  const auto apply_mask = [&](C* row) {
    if (!factors) return;
#pragma omp simd
    for (std::int64_t j = 0; j < visible; ++j) row[j] *= C(factors[j]);
  };
  if (visible == 0) log_sum_exp = 0;  // was minus infinity
  apply_mask(dscores);
  typename S::Vector dots{};
  for (std::int64_t j = 0; j < columns; j += S::kLanes) {
    dots += cpu::exp_of_visible(scores + j, log_sum_exp, visible - j) * S::load(dscores + j);
  }
  const C dot = S::sum_lanes(dots);
  for (std::int64_t j = 0; j < columns; j += S::kLanes) {
    S::store(dscores + j, S::load(scores + j) * (S::load(dscores + j) - dot));
  }
  apply_mask(scores);
}

/// Where the gradients of keys and values of a head go: among the others, or each head's apart.
template <class C>
struct KeyGradients {
  RowsView<C> key, value;
};

/// One head: its queries' gradients, and its part of its keys' and values'.
template <class T, class C = Compute<T>>
void differentiate(const AttentionHead<T>& head, const AttentionGradients& gradients,
                   const BackwardMemory<C>& memory, const KeyGradients<C>& apart, float* factors) {
  constexpr std::int64_t kLanes = Simd<C>::kLanes, kSlice = cpu::kTileWidth<C>;
  const AttentionArgs& args = head.args;
  const std::int64_t whole = memory.key.stride, all = head.keys, origin = head.first_key,
                     of_keys = head.key_head;
  const auto key = head.read(of_keys, args.key, args.key_stride, origin, all, memory.key);
  const auto value = head.read(of_keys, args.value, args.value_stride, origin, all, memory.value);
  cpu::transpose_panel(key, all, head.width, memory.key_transposed.data);
  cpu::transpose_panel(value, all, head.width, memory.value_transposed.data);
  const bool is_shared = args.pattern.group > 1;
  const RowsView<C> dkey =
      is_shared ? apart.key
                : head.target(of_keys, gradients.key, args.key_stride, origin, memory.dkey);
  const RowsView<C> dvalue =
      is_shared ? apart.value
                : head.target(of_keys, gradients.value, args.value_stride, origin, memory.dvalue);
  // The last query sees the last key, so a single block without a window that begins later writes
  // every row; several add up.
  const bool adds_up =
      head.queries == 0 || head.queries > cpu::kQueryBlock || head.first_of_block(0) > 0;
  for (std::int64_t j = 0; adds_up && j < all; ++j) {
    std::fill_n(dkey.row(j), whole, C(0));
    std::fill_n(dvalue.row(j), whole, C(0));
  }
  for (std::int64_t begin = 0; begin < head.queries; begin += cpu::kQueryBlock) {
    const std::int64_t rows = std::min(cpu::kQueryBlock, head.queries - begin);
    const std::int64_t low = head.first_of_block(begin),
                       keys = head.visible_keys(begin + rows - 1) - low,
                       columns = cpu::round_up(keys, kLanes);
    const std::int64_t first = head.first_query + begin;
    const auto query =
        head.read(head.head, args.query, args.query_stride, first, rows, memory.query);
    const auto upstream = head.read(head.head, gradients.output_gradient, args.output_stride, first,
                                    rows, memory.upstream);
    const C scale = C(args.scale);
    cpu::multiply_slices<C>(rows, columns, head.width, scale, query,
                            {memory.key_transposed.row(low), kSlice}, whole * kSlice, 0,
                            memory.scores);
    cpu::multiply_slices<C>(rows, columns, head.width, 1, upstream,
                            {memory.value_transposed.row(low), kSlice}, whole * kSlice, 0,
                            memory.dscores);
    for (std::int64_t i = 0; i < rows; ++i) {
      if (args.dropout.active()) head.draw_mask(begin + i, factors);
      head.bias(begin + i, low, memory.scores.row(i));
      softmax_row_backward(
          memory.scores.row(i), memory.dscores.row(i), head.visible_keys(begin + i) - low, columns,
          *head.log_sum_exp(begin + i), args.dropout.active() ? factors + low : nullptr);
    }
    cpu::multiply_slices<C>(keys, whole, rows, 1, memory.scores.transposed(), upstream, kSlice,
                            C(adds_up), dvalue.from(low));
    cpu::multiply_slices<C>(keys, whole, rows, scale, memory.dscores.transposed(), query, kSlice,
                            C(adds_up), dkey.from(low));
    const RowsView<C> dquery =
        head.target(head.head, gradients.query, args.query_stride, first, memory.dquery);
    cpu::multiply_slices<C>(rows, whole, keys, scale, memory.dscores, key.from(low), kSlice, 0,
                            dquery);
    head.write(head.head, dquery, gradients.query, args.query_stride, first, rows);
  }
  if (is_shared) return;
  head.write(of_keys, dkey, gradients.key, args.key_stride, origin, all);
  head.write(of_keys, dvalue, gradients.value, args.value_stride, origin, all);
}

}  // namespace

void attention_backward(CpuExec, const AttentionArgs& args, const AttentionGradients& gradients) {
  gradients.check(args);
  visit_float(args.dtype, "attention", [&]<class T>(T) {
    using C = Compute<T>;
    const std::int64_t longest = args.key_segments.longest(), group = args.pattern.group,
                       shared_rows = group > 1 ? args.key_segments.rows() : 0;
    const cpu::SharedGradient<C> key(shared_rows, args.heads, args.head_width),
        value(shared_rows, args.heads, args.head_width);
    cpu::for_heads<C>(
        args.query_segments.count() * args.heads,
        BackwardMemory<C>(nullptr, longest, args.head_width).elements,
        args.dropout.active() ? args.dropout_width : 0,
        [&](std::int64_t index, C* start, float* factors) {
          const AttentionHead<T> head(args, index);
          differentiate<T>(
              head, gradients, BackwardMemory<C>(start, longest, args.head_width),
              {key.part(head.head, head.first_key), value.part(head.head, head.first_key)},
              factors);
        });
    if (group == 1) return;
    key.template add_up<T>(group, gradients.key, args.key_stride);
    value.template add_up<T>(group, gradients.value, args.value_stride);
  });
}

}  // namespace kette::kernels
