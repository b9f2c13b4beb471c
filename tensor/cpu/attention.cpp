// Attention's forward pass. Per block of queries: scores by register tiles, a softmax over each
// row, and the weighted sum of the values.
#include <limits>

#include "tensor/cpu/attention_head.h"

namespace kette::kernels {
namespace {

using cpu::AttentionHead;
using cpu::Simd;

/// A thread's working memory for sequences of up to `keys` keys. A null start counts elements only.
template <class C>
struct ForwardMemory {
  RowsView<C> query, key, value, transposed, scores, output;
  std::int64_t elements;

  ForwardMemory(C* start, std::int64_t keys, std::int64_t head_width) {
    cpu::Arena<C> arena(start);
    const std::int64_t width = cpu::round_up(head_width, Simd<C>::kLanes);
    const std::int64_t columns = cpu::round_up(keys, cpu::kTileWidth<C>);
    for (RowsView<C>* panel : {&key, &value, &transposed}) *panel = arena.take(columns, width);
    for (RowsView<C>* panel : {&query, &output}) *panel = arena.take(cpu::kQueryBlock, width);
    scores = arena.take(cpu::kQueryBlock, columns);
    elements = arena.used();
  }
};

/// A row of scores to probabilities, 0 from `visible` to `columns` on, which are whole vectors.
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
    totals += cpu::exp_of_visible(scores + j, peak, visible - j);
  }
  const C total = S::sum_lanes(totals), share = C(1) / total;
  for (std::int64_t j = 0; j < columns; j += S::kLanes) {
    S::store(scores + j, share * S::load(scores + j));
  }
  return peak + scalar::log(total);
}

template <class T, class C = Compute<T>>
void attend(const AttentionHead<T>& head, const ForwardMemory<C>& memory, float* factors) {
  constexpr std::int64_t kLanes = Simd<C>::kLanes, kSlice = cpu::kTileWidth<C>;
  const AttentionArgs& args = head.args;
  const std::int64_t whole = memory.value.stride;
  const auto key =
      head.read(head.key_head, args.key, args.key_stride, head.first_key, head.keys, memory.key);
  const auto value = head.read(head.key_head, args.value, args.value_stride, head.first_key,
                               head.keys, memory.value);
  cpu::transpose_panel(key, head.keys, head.width, memory.transposed.data);
  for (std::int64_t begin = 0; begin < head.queries; begin += cpu::kQueryBlock) {
    const std::int64_t rows = std::min(cpu::kQueryBlock, head.queries - begin);
    const std::int64_t low = head.first_of_block(begin),
                       keys = head.visible_keys(begin + rows - 1) - low,
                       columns = cpu::round_up(keys, kLanes);
    const std::int64_t first = head.first_query + begin;
    const auto query =
        head.read(head.head, args.query, args.query_stride, first, rows, memory.query);
    cpu::multiply_slices<C>(rows, columns, head.width, C(args.scale), query,
                            {memory.transposed.row(low), kSlice}, whole * kSlice, 0, memory.scores);
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
    const RowsView<C> output =
        head.target(head.head, args.output, args.output_stride, first, memory.output);
    cpu::multiply_slices<C>(rows, whole, keys, 1, memory.scores, value.from(low), kSlice, 0,
                            output);
    head.write(head.head, output, args.output, args.output_stride, first, rows);
  }
}

}  // namespace

void attention(CpuExec, const AttentionArgs& args) {
  args.check();
  visit_float(args.dtype, "attention", [&]<class T>(T) {
    using C = Compute<T>;
    const std::int64_t longest = args.key_segments.longest();
    cpu::for_heads<C>(args.query_segments.count() * args.heads,
                      ForwardMemory<C>(nullptr, longest, args.head_width).elements,
                      args.dropout.active() ? args.dropout_width : 0,
                      [&](std::int64_t index, C* start, float* factors) {
                        attend<T>(AttentionHead<T>(args, index),
                                  ForwardMemory<C>(start, longest, args.head_width), factors);
                      });
  });
}

}  // namespace kette::kernels
