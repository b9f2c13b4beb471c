#include "nn/layers.h"

#include <cmath>
#include <optional>

#include "autograd/ops/dropout.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/embedding.h"
#include "autograd/ops/feed_forward.h"
#include "autograd/ops/layer_norm.h"
#include "autograd/ops/lora.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/rms_norm.h"
#include "autograd/ops/shaping.h"
#include "autograd/ops/swiglu.h"
#include "tensor/kernels.h"

namespace kette {
namespace {

/// The rows of a matrix, or the elements of a vector, repeated.
Variable copied(const Variable& x, const std::vector<RowCopies>& copies) {
  if (copies.empty() || !x.value().defined()) return x;
  std::optional<Variable> all;
  std::int64_t begin = 0;
  for (const RowCopies& part : copies) {
    const Variable rows = slice(x, begin, begin + part.rows);
    for (std::int64_t i = 0; i < part.times; ++i) all = all ? concatenate(*all, rows) : rows;
    begin += part.rows;
  }
  return *all;
}

}  // namespace

Linear::Linear(const Scope& scope, std::int64_t in, std::int64_t out, const LinearOptions& options)
    : path(scope.path()),
      weight(scope.parameter("weight", {out, in},
                             options.deviation > 0 ? Init::normal(options.deviation)
                                                   : Init::xavier(in, out / options.stacked))),
      activation(options.activation) {
  if (options.biased) bias = scope.parameter("bias", {out}, Init::constant(0));
}

Variable Linear::operator()(const Variable& x) const {
  if (prepacked) return prepacked_linear(x, *prepacked, activation);
  if (!copies.empty()) return linear(x, copied(weight, copies), copied(bias, copies), activation);
  if (!adapter) return linear(x, weight, bias, activation);
  Variable y =
      lora_linear(x, weight, bias, adapter->down, adapter->up, adapter->blocks, adapter->scale);
  visit_activation(activation, [&](const auto& function) { y = elementwise(function, y); });
  return y;
}

PrepackedWeight Linear::prepack(DType panels) const {
  const Tensor matrix = merged_weight();
  KETTE_CHECK(matrix.defined(), path,
              ": expected a model with values, given one without (materialize or load them)");
  const Tensor biases = copied(bias, copies).value();
  return on(matrix.device(),
            [&](auto exec) { return kernels::prepack_linear(exec, matrix, biases, panels); });
}

Tensor Linear::merged_weight() const {
  if (!adapter) return copied(weight, copies).value();
  const Tensor merged = weight.value().to(DType::f32).clone();
  merge_lora(merged, adapter->down.value().to(DType::f32), adapter->up.value().to(DType::f32),
             adapter->blocks, adapter->scale);
  return merged;
}

Norm::Norm(const Scope& scope, std::int64_t width, NormKind norm_kind, bool biased, double eps)
    : path(scope.path()), kind(norm_kind), epsilon(eps) {
  if (kind == NormKind::none) return;
  gain = scope.parameter("gain", {width}, Init::constant(1));
  if (kind == NormKind::layer && biased) bias = scope.parameter("bias", {width}, Init::constant(0));
}

Variable Norm::operator()(const Variable& x) const {
  switch (kind) {
    case NormKind::layer:
      return layer_norm(x, gain, bias, epsilon);
    case NormKind::rms:
      return rms_norm(x, gain, epsilon);
    case NormKind::none:
      break;
  }
  return x;
}

std::array<Variable, 2> Norm::operator()(const Variable& x, const Variable& update,
                                         const DropoutMask& mask, const Run& run) const {
  std::array<Variable, 2> sum_and_norm;
  auto& [sum, normed] = sum_and_norm;
  if (kind == NormKind::layer) {
    sum_and_norm = residual_layer_norm(x, update, gain, bias, mask, epsilon);
  } else {
    sum = x + dropout(update, mask);
    normed = (*this)(sum);
  }
  if (!run.is_tapped()) return sum_and_norm;
  const Variable other = run.tap(path, points::sum, sum);
  if (!other.is(sum)) sum_and_norm = {other, (*this)(other)};
  normed = run.tap(path, normed);
  return sum_and_norm;
}

Embedding::Embedding(const Scope& scope, std::int64_t vocabulary, std::int64_t width,
                     double deviation, double factor)
    : table(scope.parameter("weight", {vocabulary, width}, Init::normal(deviation))),
      scale(factor) {}

// Entries of standard deviation width^-0.5 have unit scale after multiplication by sqrt(width), and
// give logits of unit deviation if the table is also the projection to the vocabulary.
Embedding Embedding::scaled(const Scope& scope, std::int64_t vocabulary, std::int64_t width) {
  const double root = std::sqrt(static_cast<double>(width));
  return Embedding(scope, vocabulary, width, 1 / root, root);
}

Variable Embedding::operator()(const Tensor& ids, bool with_holes) const {
  if (rounded.defined()) return rounded_embedding(rounded, ids, scale);
  return embedding(table, ids, scale, with_holes);
}

FeedForward::FeedForward(const Scope& scope, std::int64_t width, std::int64_t hidden,
                         Activation activation, double dropout, const MapOptions& maps)
    : FeedForward(scope.path(), Linear(scope / "inner", width, hidden, maps.reading(1, activation)),
                  Linear(scope / "outer", hidden, width, maps.writing()), false, dropout) {}

FeedForward FeedForward::swiglu(const Scope& scope, std::int64_t width, std::int64_t hidden,
                                double dropout, const MapOptions& maps) {
  return FeedForward(scope.path(), Linear(scope / "inner", width, 2 * hidden, maps.reading(2)),
                     Linear(scope / "outer", hidden, width, maps.writing()), true, dropout);
}

Variable FeedForward::operator()(const Variable& x, Run& run) const {
  const DropoutMask mask = run.mask(dropout_rate);
  const bool plain = !inner.adapter && !inner.prepacked && !outer.adapter && !outer.prepacked;
  if (plain && !gated && !mask.active()) return in_one(x, run);
  Variable hidden = inner(x, run);
  if (gated) hidden = run.tap(path, points::hidden, kette::swiglu(hidden));
  return outer(dropout(hidden, mask), run);
}

/// As one op, which does not store its hidden rows. A tap that wants them has them recomputed.
Variable FeedForward::in_one(const Variable& x, const Run& run) const {
  if (run.wants(inner.path)) {
    const Variable hidden = inner(x), other = run.tap(inner.path, hidden);
    if (!other.is(hidden)) return outer(other, run);
  }
  return run.tap(outer.path, kette::feed_forward(x, inner.weight, inner.bias, outer.weight,
                                                 outer.bias, inner.activation));
}

}  // namespace kette
