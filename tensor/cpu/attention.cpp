// Attention's forward pass. Per block of queries: scores by register tiles, a softmax over each
// row, and the weighted sum of the values.
#include "tensor/cpu/attention.h"

#include <limits>

#include "tensor/cpu/attention_operands.h"

namespace kette {
namespace cpu {
namespace {

/// A thread's working memory for sequences of up to `keys` keys. With a null start it only counts
/// elements.
template <class Operands, class C = typename Operands::C>
struct ForwardMemory {
  RowsView<C> query, key, value, transposed, scores, narrow, output;
  std::int64_t elements;

  ForwardMemory(C* start, std::int64_t keys, std::int64_t head_width) {
    Arena<C> arena(start);
    const std::int64_t width = round_up(head_width, Simd<C>::kLanes);
    const std::int64_t columns = round_up(keys, kTileWidth<C>);
    for (RowsView<C>* panel : {&key, &value, &transposed}) *panel = arena.take(columns, width);
    for (RowsView<C>* panel : {&query, &output}) *panel = arena.take(kQueryBlock, width);
    scores = arena.take(kQueryBlock, columns);
    narrow = arena.take(kQueryBlock / 2, Operands::narrow_width(columns));
    elements = arena.used();
  }
};

/// Turns a row of scores into probabilities, with 0 from `visible` to `columns` (whole vectors).
/// Returns log_sum_exp.
template <class C>
C softmax_row(C* scores, std::int64_t visible, std::int64_t columns) {
  using S = Simd<C>;
  constexpr C kNothing = -std::numeric_limits<C>::infinity();
  if (visible == 0) {
    std::fill_n(scores, columns, C(0));
    return kNothing;
  }
  typename S::Vector peaks = S::first_lanes(S::load(scores), visible, kNothing), totals{};
  for (std::int64_t j = S::kLanes; j < columns; j += S::kLanes) {
    peaks = S::max(peaks, S::first_lanes(S::load(scores + j), visible - j, kNothing));
  }
  const C peak = S::max_lanes(peaks);
  for (std::int64_t j = 0; j < columns; j += S::kLanes) {
    totals += exp_of_visible(scores + j, peak, visible - j);
  }
  const C total = S::sum_lanes(totals), share = 1 / total;
  for (std::int64_t j = 0; j < columns; j += S::kLanes) {
    S::store(scores + j, share * S::load(scores + j));
  }
  return peak + scalar::log(total);
}

template <class Operands, class T, class C = Compute<T>>
void attend(const AttentionHead<T>& head, const ForwardMemory<Operands>& memory, float* factors) {
  const AttentionArgs& args = head.args;
  const std::int64_t whole = memory.value.stride, all = head.keys, width = head.width;
  const auto key = Operands::read(head, head.key_head, args.key, args.key_stride, head.first_key,
                                  all, memory.key);
  const auto value = Operands::read(head, head.key_head, args.value, args.value_stride,
                                    head.first_key, all, memory.value);
  const auto keys_transposed = Operands::right_transposed(key, all, width, memory.transposed.data);
  const auto values = Operands::right(value, all, width, memory.value.data);
  for (std::int64_t begin = 0; begin < head.queries; begin += kQueryBlock) {
    const std::int64_t rows = std::min(kQueryBlock, head.queries - begin);
    const std::int64_t low = head.first_of_block(begin),
                       keys = head.visible_keys(begin + rows - 1) - low,
                       columns = round_up(keys, Simd<C>::kLanes);
    const std::int64_t first = head.first_query + begin;
    const auto query =
        Operands::read(head, head.head, args.query, args.query_stride, first, rows, memory.query);
    multiply(rows, columns, width, C(args.scale), Operands::left(query),
             keys_transposed.from_column(low), 0, memory.scores);
    for (std::int64_t i = 0; i < rows; ++i) {
      C* scores = memory.scores.row(i);
      const std::int64_t visible = head.visible_keys(begin + i) - low;
      head.bias(begin + i, low, scores);
      *head.log_sum_exp(begin + i) = softmax_row(scores, visible, columns);
      if (args.dropout.active()) {
        head.draw_mask(begin + i, factors);
#pragma omp simd
        for (std::int64_t j = 0; j < visible; ++j) scores[j] *= C(factors[low + j]);
      }
    }
    const auto weights = Operands::narrow(memory.scores, rows, columns, memory.narrow);
    const RowsView<C> output =
        head.target(head.head, args.output, args.output_stride, first, memory.output);
    multiply(rows, whole, keys, 1, Operands::left(weights), values.from_row(low), 0, output);
    head.write(head.head, output, args.output, args.output_stride, first, rows);
  }
}

template <class Operands, class T>
void attend_all(const AttentionArgs& args) {
  const std::int64_t longest = args.key_segments.longest();
  for_heads<Compute<T>>(args.query_segments.count() * args.heads,
                        ForwardMemory<Operands>(nullptr, longest, args.head_width).elements,
                        args.dropout.active() ? args.dropout_width : 0,
                        [&](std::int64_t index, Compute<T>* start, float* factors) {
                          attend<Operands>(AttentionHead<T>(args, index),
                                           ForwardMemory<Operands>(start, longest, args.head_width),
                                           factors);
                        });
}

}  // namespace

void attention(const AttentionArgs& args, Bf16Products bf16) {
  args.check();
  visit_float(args.dtype, "attention", [&]<class T>(T) {
    if constexpr (std::is_same_v<T, BFloat16>) {
      if (bf16 == Bf16Products::in_pairs && PairedOperands::fit(args)) {
        return attend_all<PairedOperands, T>(args);
      }
    }
    attend_all<WideOperands<T>, T>(args);
  });
}

Bf16Products attention_products(const AttentionArgs& args) {
  constexpr std::int64_t kWorthwhile = 64;  // keys
  return args.key_segments.longest() >= kWorthwhile ? bf16_products() : Bf16Products::widened;
}

}  // namespace cpu

void kernels::attention(CpuExec, const AttentionArgs& args) {
  cpu::attention(args, cpu::attention_products(args));
}

}  // namespace kette
