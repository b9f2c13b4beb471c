#include "nn/layers.h"

#include <cmath>
#include <numeric>

namespace kette {

Linear::Linear(const Scope& scope, std::int64_t in, std::int64_t out, Activation act,
               std::int64_t stacked, double deviation)
    : weight(scope.parameter(
          "weight", {out, in},
          deviation > 0 ? Init::normal(deviation) : Init::xavier(in, out / stacked))),
      bias(scope.parameter("bias", {out}, Init::constant(0))),
      activation(act) {}

Variable Linear::operator()(const Variable& x) const {
  if (!adapter) return linear(x, weight, bias, activation);
  const Variable y =
      lora_linear(x, weight, bias, adapter->down, adapter->up, adapter->blocks, adapter->scale);
  switch (activation) {
    case Activation::relu:
      return relu(y);
    case Activation::gelu:
      return gelu(y);
    case Activation::silu:
      return silu(y);
    case Activation::none:
      break;
  }
  return y;
}

Tensor Linear::merged_weight() const {
  if (!adapter) return weight.value();
  const Tensor merged = weight.value().to(DType::f32).clone();
  merge_lora(merged, adapter->down.value().to(DType::f32), adapter->up.value().to(DType::f32),
             adapter->blocks, adapter->scale);
  return merged;
}

Norm::Norm(const Scope& scope, std::int64_t width, NormKind norm_kind, double eps)
    : gain(scope.parameter("gain", {width}, Init::constant(1))), kind(norm_kind), epsilon(eps) {
  if (kind == NormKind::layer) bias = scope.parameter("bias", {width}, Init::constant(0));
}

Embedding::Embedding(const Scope& scope, std::int64_t vocabulary, std::int64_t width,
                     double deviation, double factor)
    : table(scope.parameter("weight", {vocabulary, width}, Init::normal(deviation))),
      scale(factor) {}

// Entries of deviation width^-0.5 become unit vectors' worth of signal after the scale sqrt(width),
// and give logits of unit deviation when the table is also the projection to the vocabulary.
Embedding Embedding::scaled(const Scope& scope, std::int64_t vocabulary, std::int64_t width) {
  const double root = std::sqrt(static_cast<double>(width));
  return Embedding(scope, vocabulary, width, 1 / root, root);
}

std::vector<std::int64_t> concatenated_order(std::int64_t width) {
  std::vector<std::int64_t> order;
  for (std::int64_t column = 0; column < width; column += 2) order.push_back(column);
  for (std::int64_t column = 1; column < width; column += 2) order.push_back(column);
  return order;
}

Tensor sinusoidal_positions(std::int64_t positions, std::int64_t width, SinusoidLayout layout) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(width));
  std::iota(order.begin(), order.end(), 0);
  if (layout == SinusoidLayout::concatenated) order = concatenated_order(width);
  std::vector<float> table;
  table.reserve(static_cast<std::size_t>(positions * width));
  for (std::int64_t position = 0; position < positions; ++position) {
    for (const std::int64_t column : order) {
      const double exponent = static_cast<double>(column / 2 * 2) / static_cast<double>(width);
      const double angle = static_cast<double>(position) / std::pow(10000.0, exponent);
      table.push_back(static_cast<float>(column % 2 == 0 ? std::sin(angle) : std::cos(angle)));
    }
  }
  return Tensor::from(table, {positions, width});
}

Tensor row_positions(const Segments& segments, std::int64_t first) {
  std::vector<std::int32_t> positions;
  positions.reserve(static_cast<std::size_t>(segments.rows()));
  for (std::int64_t i = 0; i < segments.count(); ++i) {
    for (std::int64_t t = 0; t < segments.length(i); ++t) {
      positions.push_back(static_cast<std::int32_t>(first + t));
    }
  }
  return Tensor::from(positions);
}

MultiHeadSelfAttention::MultiHeadSelfAttention(const Scope& scope, std::int64_t width,
                                               std::int64_t head_count, Mask kind, double dropout,
                                               const WeightInit& init)
    : query_key_value(scope / "query_key_value", width, 3 * width, Activation::none, 3,
                      init.deviation),
      output(scope / "output", width, width, Activation::none, 1, init.output_deviation),
      heads(head_count),
      mask(kind),
      dropout_rate(dropout) {}

Variable MultiHeadSelfAttention::operator()(const Variable& x, const Segments& segments, Run& run,
                                            const Rotation* rotation) const {
  Variable qkv = query_key_value(x);
  if (rotation) qkv = rotary(qkv, rotation->positions, rotation->table, 2 * x.value().width());
  return output(self_attention(qkv, segments, {heads, mask, run.mask(dropout_rate)}));
}

MultiHeadCrossAttention::MultiHeadCrossAttention(const Scope& scope, std::int64_t width,
                                                 std::int64_t head_count, double dropout)
    : query(scope / "query", width, width),
      key_value(scope / "key_value", width, 2 * width, Activation::none, 2),
      output(scope / "output", width, width),
      heads(head_count),
      dropout_rate(dropout) {}

Variable MultiHeadCrossAttention::operator()(const Variable& x, const Variable& memory,
                                             const Segments& segments,
                                             const Segments& memory_segments, Run& run) const {
  return output(cross_attention(query(x), key_value(memory), segments, memory_segments,
                                {heads, Mask::none, run.mask(dropout_rate)}));
}

FeedForward::FeedForward(const Scope& scope, std::int64_t width, std::int64_t hidden,
                         Activation activation, double dropout, const WeightInit& init)
    : FeedForward(
          Linear(scope / "inner", width, hidden, activation, 1, init.deviation),
          Linear(scope / "outer", hidden, width, Activation::none, 1, init.output_deviation), false,
          dropout) {}

FeedForward FeedForward::swiglu(const Scope& scope, std::int64_t width, std::int64_t hidden,
                                double dropout, const WeightInit& init) {
  return FeedForward(
      Linear(scope / "inner", width, 2 * hidden, Activation::none, 2, init.deviation),
      Linear(scope / "outer", hidden, width, Activation::none, 1, init.output_deviation), true,
      dropout);
}

Variable FeedForward::operator()(const Variable& x, Run& run) const {
  const DropoutMask mask = run.mask(dropout_rate);
  const bool in_one = !gated && !mask.active() && !inner.adapter && !outer.adapter;
  if (in_one) {
    return feed_forward(x, inner.weight, inner.bias, outer.weight, outer.bias, inner.activation);
  }
  const Variable hidden = gated ? kette::swiglu(inner(x)) : inner(x);
  return outer(dropout(hidden, mask));
}

}  // namespace kette
