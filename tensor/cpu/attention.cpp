// Attention's forward pass. Per block of queries: scores by register tiles, a softmax over each
// row, and the weighted sum of the values; the softmax's division waits until the output is stored.
#include "tensor/cpu/attention_head.h"

namespace kette::kernels {
namespace {

using cpu::AttentionHead;
using cpu::Panel;

/// A thread's working memory for sequences of up to `keys` keys. A null start only counts the
/// elements.
template <class C>
struct ForwardMemory {
  Panel<C> query, key, value, transposed, scores, output;
  std::int64_t elements;

  ForwardMemory(C* start, std::int64_t keys, std::int64_t head_width) {
    cpu::Carver<C> carver(start);
    const std::int64_t width = cpu::round_up(head_width, cpu::Simd<C>::kLanes);
    const std::int64_t columns = cpu::round_up(keys, cpu::kTileWidth<C>);
    query = carver.take(cpu::kQueryBlock, width);
    key = carver.take(columns, width);
    value = carver.take(columns, width);
    transposed = carver.take(columns, width);
    scores = carver.take(cpu::kQueryBlock, columns);
    output = carver.take(cpu::kQueryBlock, width);
    elements = carver.used();
  }
};

/// Row of scores to exp(score - peak), 0 from `seen` to `columns` on; returns 1 / sum and sets
/// log_sum_exp.
template <class C>
C exponentiate(C* scores, std::int64_t seen, std::int64_t columns, C* log_sum_exp) {
  constexpr C kNothing = -std::numeric_limits<C>::infinity();
  if (seen == 0) {
    std::fill_n(scores, columns, C(0));
    *log_sum_exp = kNothing;
    return 0;
  }
  std::fill(scores + seen, scores + columns, kNothing);
  C peak = kNothing, total = 0;
#pragma omp simd reduction(max : peak)
  for (std::int64_t j = 0; j < columns; ++j) peak = scalar::max(peak, scores[j]);
#pragma omp simd reduction(+ : total)
  for (std::int64_t j = 0; j < columns; ++j) {
    scores[j] = scalar::exp(scores[j] - peak);
    total += scores[j];
  }
  *log_sum_exp = peak + scalar::log(total);
  return C(1) / total;
}

template <class T, class C = Compute<T>>
void attend(const AttentionHead<T>& head, const ForwardMemory<C>& memory, float* factors) {
  constexpr std::int64_t kLanes = cpu::Simd<C>::kLanes, kSlice = cpu::kTileWidth<C>;
  const AttentionArgs& args = head.args;
  head.load(args.key, args.key_stride, head.first_key, head.keys, C(1), memory.key);
  head.load(args.value, args.value_stride, head.first_key, head.keys, C(1), memory.value);
  cpu::transpose_panel(memory.key, head.keys, head.width, memory.transposed.data);
  for (std::int64_t begin = 0; begin < head.queries; begin += cpu::kQueryBlock) {
    const std::int64_t rows = std::min(cpu::kQueryBlock, head.queries - begin);
    const std::int64_t keys = head.seen(begin + rows - 1), columns = cpu::round_up(keys, kLanes);
    head.load(args.query, args.query_stride, head.first_query + begin, rows, C(args.scale),
              memory.query);
    cpu::multiply_panel<C>(rows, columns, head.width, memory.query.by_rows(),
                           {memory.transposed.data, kSlice}, head.width * kSlice, 0, memory.scores);
    C inverse[cpu::kQueryBlock];
    for (std::int64_t i = 0; i < rows; ++i) {
      C* scores = memory.scores.data + i * memory.scores.stride;
      inverse[i] = exponentiate(scores, head.seen(begin + i), columns, head.log_sum_exp(begin + i));
      if (args.dropout.active()) {
        head.draw_mask(begin + i, factors);
#pragma omp simd
        for (std::int64_t j = 0; j < keys; ++j) scores[j] *= C(factors[j]);
      }
    }
    cpu::multiply_panel<C>(rows, memory.value.stride, keys, memory.scores.by_rows(), memory.value,
                           kSlice, 0, memory.output);
    for (std::int64_t i = 0; i < rows; ++i) {
      const Panel<C> row{memory.output.data + i * memory.output.stride, memory.output.stride};
      head.store(row, inverse[i], head.first_query + begin + i, 1, args.output, args.output_stride);
    }
  }
}

}  // namespace

void attention(CpuExec, const AttentionArgs& args) {
  cpu::check_attention(args);
  visit_float(args.dtype, "attention", [&]<class T>(T) {
    using C = Compute<T>;
    const std::int64_t longest = args.key_segments.longest();
    cpu::for_heads<T>(args, ForwardMemory<C>(nullptr, longest, args.head_width).elements,
                      [&](const AttentionHead<T>& head, C* start, float* factors) {
                        attend<T>(head, ForwardMemory<C>(start, longest, args.head_width), factors);
                      });
  });
}

}  // namespace kette::kernels
