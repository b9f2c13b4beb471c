#include "nn/block.h"

#include "autograd/ops/dropout.h"
#include "autograd/ops/elementwise.h"

namespace kette {
namespace {

FeedForward feed_forward_of(const Scope& scope, const BlockConfig& c) {
  if (c.feed_forward == FeedForwardKind::swiglu) {
    return FeedForward::swiglu(scope, c.width, c.hidden, c.activation_dropout, c.maps);
  }
  return FeedForward(scope, c.width, c.hidden, activation_of(c.feed_forward), c.activation_dropout,
                     c.maps);
}

AddAndNorm add_and_norm(const Scope& scope, const BlockConfig& c) {
  return AddAndNorm(scope, c.width, c.norm_order, c.dropout, c.norm_kind, c.maps.biased,
                    c.norm_epsilon);
}

MultiHeadSelfAttention self_attention_of(const Scope& scope, std::int64_t layer,
                                         const BlockConfig& c) {
  return MultiHeadSelfAttention(scope, layer, c.width, c.heads, c.pattern, c.attention_dropout,
                                c.maps, c.mixer);
}

std::string norm_name(const BlockConfig& c) { return std::string(c.self_attention) + "_norm"; }

/// Parameters are stored in the order of registration. Registers those of norms first if the config says so.
const Scope& in_order(const Scope& scope, const BlockConfig& c) {
  if (!c.norms_first) return scope;
  add_and_norm(scope / norm_name(c), c);
  self_attention_of(scope / c.self_attention, 0, c);
  if (c.hidden > 0) add_and_norm(scope / "feed_forward_norm", c);
  return scope;
}

}  // namespace

Activation activation_of(FeedForwardKind kind) {
  switch (kind) {
    case FeedForwardKind::relu:
      return Activation::relu;
    case FeedForwardKind::gelu:
      return Activation::gelu;
    case FeedForwardKind::gelu_erf:
      return Activation::gelu_erf;
    case FeedForwardKind::silu:
      return Activation::silu;
    case FeedForwardKind::swiglu:
      break;
  }
  return Activation::none;
}

Variable ResidualStream::sum() const { return update ? x + dropout(*update, mask) : x; }

std::array<Variable, 2> ResidualStream::through(const Norm& norm, const Run& run) const {
  if (update) return norm(x, *update, mask, run);
  const Variable shown = run.tap(norm.path, points::sum, x);
  return {shown, run.tap(norm.path, norm(shown))};
}

Block::Block(const Scope& scope, std::int64_t layer, const BlockConfig& c)
    : self_attention(self_attention_of(in_order(scope, c) / c.self_attention, layer, c)),
      self_attention_norm(add_and_norm(scope / norm_name(c), c)),
      cross_attention(c.attends_to_memory ? std::optional(MultiHeadCrossAttention(
                                                scope / "cross_attention", layer, c.width,
                                                c.cross_heads, c.attention_dropout, c.maps))
                                          : std::nullopt),
      cross_attention_norm(c.attends_to_memory
                               ? std::optional(add_and_norm(scope / "cross_attention_norm", c))
                               : std::nullopt),
      feed_forward(c.hidden > 0 ? std::optional(feed_forward_of(scope / "feed_forward", c))
                                : std::nullopt),
      feed_forward_norm(c.hidden > 0 ? std::optional(add_and_norm(scope / "feed_forward_norm", c))
                                     : std::nullopt) {}

ResidualStream Block::operator()(const ResidualStream& x, const AttentionContext& sequences,
                                 Run& run, const std::optional<Rotation>& rotation) const {
  ResidualStream y = self_attention_norm(
      x, run, [&](const Variable& in) { return self_attention(in, sequences, run, rotation); });
  if (cross_attention) {
    y = (*cross_attention_norm)(
        y, run, [&](const Variable& in) { return (*cross_attention)(in, sequences, run); });
  }
  if (!feed_forward) return y;
  return (*feed_forward_norm)(y, run, [&](const Variable& in) { return (*feed_forward)(in, run); });
}

void Block::each_linear(const VisitLinear& visit) {
  visit(self_attention.query_key_value, {{"query", self_attention.pattern.group},
                                         {"key"},
                                         {"value", self_attention.heads.value_multiple}});
  visit(self_attention.output, {{"output"}});
  if (cross_attention) {
    visit(cross_attention->query, {{"query"}});
    visit(cross_attention->key_value, {{"key"}, {"value", cross_attention->heads.value_multiple}});
    visit(cross_attention->output, {{"output"}});
  }
  if (!feed_forward) return;
  if (feed_forward->gated) {
    visit(feed_forward->inner, {{"inner"}, {"inner"}});  // two maps, stacked
  } else {
    visit(feed_forward->inner, {{"inner"}});
  }
  visit(feed_forward->outer, {{"outer"}});
}

}  // namespace kette
