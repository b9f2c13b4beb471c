// Attention's backward pass. The probabilities are recomputed from the saved log-sum-exp of each
// row. With the scores s = scale * Q K^T, P = softmax(s), M the dropout mask, and o' the gradient
// of the output:
//   dV = (M P)^T o'      dP = M (o' V^T)      ds_ij = P_ij (dP_ij - sum_k P_ik dP_ik)
//   dQ = scale * ds K    dK = scale * ds^T Q
#include "tensor/cpu/attention.h"
#include "tensor/cpu/attention_operands.h"

namespace kette {
namespace cpu {
namespace {

/// A thread's working memory for sequences of up to `keys` keys. With a null start it only counts
/// elements.
template <class Operands, class C = typename Operands::C>
struct BackwardMemory {
  RowsView<C> query, upstream, dquery;           // a block of queries
  RowsView<C> key, value, dkey, dvalue;          // the whole sequence
  RowsView<C> key_transposed, value_transposed;  // in slices
  RowsView<C> scores, dscores, narrow, turned;   // a block of queries by all keys
  std::int64_t elements;

  BackwardMemory(C* start, std::int64_t keys, std::int64_t head_width) {
    Arena<C> arena(start);
    const std::int64_t width = round_up(head_width, Simd<C>::kLanes);
    const std::int64_t columns = round_up(keys, kTileWidth<C>);
    for (RowsView<C>* panel : {&query, &upstream, &dquery}) *panel = arena.take(kQueryBlock, width);
    for (RowsView<C>* panel : {&key, &value, &dkey, &dvalue, &key_transposed, &value_transposed}) {
      *panel = arena.take(columns, width);
    }
    for (RowsView<C>* panel : {&scores, &dscores}) *panel = arena.take(kQueryBlock, columns);
    for (RowsView<C>* panel : {&narrow, &turned}) {
      *panel = arena.take(kQueryBlock / 2, Operands::narrow_width(columns));
    }
    elements = arena.used();
  }
};

/// Turns a row of scores into M P, and a row of dP (before the mask) into ds; both are 0 from
/// `visible` to `columns` (whole vectors).
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
    dots += exp_of_visible(scores + j, log_sum_exp, visible - j) * S::load(dscores + j);
  }
  const C dot = S::sum_lanes(dots);
  for (std::int64_t j = 0; j < columns; j += S::kLanes) {
    S::store(dscores + j, S::load(scores + j) * (S::load(dscores + j) - dot));
  }
  apply_mask(scores);
}

/// Where a head's gradients of keys and values go: into the result, or to separate parts if heads
/// share keys.
template <class C>
struct KeyGradients {
  RowsView<C> key, value;
};

/// One head: the gradients of its queries, and its part of those of its keys and values.
template <class Operands, class T, class C = Compute<T>>
void differentiate(const AttentionHead<T>& head, const AttentionGradients& gradients,
                   const BackwardMemory<Operands>& memory, const KeyGradients<C>& apart,
                   float* factors) {
  const AttentionArgs& args = head.args;
  const std::int64_t whole = memory.key.stride, all = head.keys, width = head.width,
                     origin = head.first_key, of_keys = head.key_head;
  const auto key =
      Operands::read(head, of_keys, args.key, args.key_stride, origin, all, memory.key);
  const auto value =
      Operands::read(head, of_keys, args.value, args.value_stride, origin, all, memory.value);
  const auto keys_transposed =
      Operands::right_transposed(key, all, width, memory.key_transposed.data);
  const auto values_transposed =
      Operands::right_transposed(value, all, width, memory.value_transposed.data);
  const auto keys_right = Operands::right(key, all, width, memory.key.data);
  const bool is_shared = args.pattern.group > 1;
  const RowsView<C> dkey =
      is_shared ? apart.key
                : head.target(of_keys, gradients.key, args.key_stride, origin, memory.dkey);
  const RowsView<C> dvalue =
      is_shared ? apart.value
                : head.target(of_keys, gradients.value, args.value_stride, origin, memory.dvalue);
  // The last query sees the last key, so a single block writes every row, unless its window begins
  // later. Several blocks add up.
  const bool adds_up =
      head.queries == 0 || head.queries > kQueryBlock || head.first_of_block(0) > 0;
  for (std::int64_t j = 0; adds_up && j < all; ++j) {
    std::fill_n(dkey.row(j), whole, C(0));
    std::fill_n(dvalue.row(j), whole, C(0));
  }
  for (std::int64_t begin = 0; begin < head.queries; begin += kQueryBlock) {
    const std::int64_t rows = std::min(kQueryBlock, head.queries - begin);
    const std::int64_t low = head.first_of_block(begin),
                       keys = head.visible_keys(begin + rows - 1) - low,
                       columns = round_up(keys, Simd<C>::kLanes);
    const std::int64_t first = head.first_query + begin;
    const auto query =
        Operands::read(head, head.head, args.query, args.query_stride, first, rows, memory.query);
    const auto upstream = Operands::read(head, head.head, gradients.output_gradient,
                                         args.output_stride, first, rows, memory.upstream);
    const C scale = C(args.scale);
    multiply(rows, columns, width, scale, Operands::left(query), keys_transposed.from_column(low),
             0, memory.scores);
    multiply(rows, columns, width, 1, Operands::left(upstream), values_transposed.from_column(low),
             0, memory.dscores);
    for (std::int64_t i = 0; i < rows; ++i) {
      if (args.dropout.active()) head.draw_mask(begin + i, factors);
      head.bias(begin + i, low, memory.scores.row(i));
      softmax_row_backward(
          memory.scores.row(i), memory.dscores.row(i), head.visible_keys(begin + i) - low, columns,
          *head.log_sum_exp(begin + i), args.dropout.active() ? factors + low : nullptr);
    }
    // sums += factor * scores^T by; rows are keys.
    const auto add_product = [&](typename Operands::Rows scores, typename Operands::Rows by,
                                 RowsView<C> copy, C factor, RowsView<C> sums) {
      multiply(keys, whole, rows, factor,
               Operands::left_transposed(scores, rows, columns, memory.turned.data),
               Operands::right(by, rows, width, copy.data), adds_up ? 1 : 0, sums.from(low));
    };
    add_product(Operands::narrow(memory.scores, rows, columns, memory.narrow), upstream,
                memory.upstream, 1, dvalue);
    const auto dscores = Operands::narrow(memory.dscores, rows, columns, memory.narrow);
    add_product(dscores, query, memory.query, scale, dkey);
    const RowsView<C> dquery =
        head.target(head.head, gradients.query, args.query_stride, first, memory.dquery);
    multiply(rows, whole, keys, scale, Operands::left(dscores), keys_right.from_row(low), 0,
             dquery);
    head.write(head.head, dquery, gradients.query, args.query_stride, first, rows);
  }
  if (is_shared) return;
  head.write(of_keys, dkey, gradients.key, args.key_stride, origin, all);
  head.write(of_keys, dvalue, gradients.value, args.value_stride, origin, all);
}

template <class Operands, class T, class C = Compute<T>>
void differentiate_all(const AttentionArgs& args, const AttentionGradients& gradients) {
  const std::int64_t longest = args.key_segments.longest(), group = args.pattern.group,
                     shared_rows = group > 1 ? args.key_segments.rows() : 0;
  const SharedGradient<C> key(shared_rows, args.heads, args.head_width),
      value(shared_rows, args.heads, args.head_width);
  for_heads<C>(args.query_segments.count() * args.heads,
               BackwardMemory<Operands>(nullptr, longest, args.head_width).elements,
               args.dropout.active() ? args.dropout_width : 0,
               [&](std::int64_t index, C* start, float* factors) {
                 const AttentionHead<T> head(args, index);
                 differentiate<Operands>(
                     head, gradients, BackwardMemory<Operands>(start, longest, args.head_width),
                     {key.part(head.head, head.first_key), value.part(head.head, head.first_key)},
                     factors);
               });
  if (group == 1) return;
  key.template add_up<T>(group, gradients.key, args.key_stride);
  value.template add_up<T>(group, gradients.value, args.value_stride);
}

}  // namespace

void attention_backward(const AttentionArgs& args, const AttentionGradients& gradients,
                        Bf16Products bf16) {
  gradients.check(args);
  visit_float(args.dtype, "attention", [&]<class T>(T) {
    if constexpr (std::is_same_v<T, BFloat16>) {
      if (bf16 == Bf16Products::in_pairs && PairedOperands::fit(args)) {
        return differentiate_all<PairedOperands, T>(args, gradients);
      }
    }
    differentiate_all<WideOperands<T>, T>(args, gradients);
  });
}

}  // namespace cpu

void kernels::attention_backward(CpuExec, const AttentionArgs& args,
                                 const AttentionGradients& gradients) {
  cpu::attention_backward(args, gradients, cpu::attention_products(args));
}

}  // namespace kette
