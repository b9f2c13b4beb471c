// The block of every Transformer: self-attention, optional attention to a memory, and an optional
// feed-forward layer. Each is surrounded by a residual connection and a norm. BlockConfig says
// whether it is an encoder block, a decoder block, or one of GPT or BERT.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "nn/attention.h"
#include "nn/kinds.h"

namespace kette {

/// The residual stream between two sub-layers: x + Dropout(update). The next norm computes the sum,
/// as it reads the row anyway.
struct ResidualStream {
  Variable x;
  std::optional<Variable> update;
  DropoutMask mask{};

  ResidualStream(Variable value)  // NOLINT(google-explicit-constructor): a stream to start with
      : x(std::move(value)) {}
  ResidualStream(Variable value, Variable added, const DropoutMask& dropped)
      : x(std::move(value)), update(std::move(added)), mask(dropped) {}

  Variable sum() const;
  /// The sum, and norm(sum).
  std::array<Variable, 2> through(const Norm& norm, const Run& run) const;
};

/// Surrounds every sub-layer. post: Norm(x + Dropout(Sublayer(x))), the paper's section 3.1. pre: x
/// + Dropout(Sublayer(Norm(x))), which needs a final norm after the stack (Xiong et al. 2020).
/// Points: the norm's output, and path/sum, its input, which is the residual stream.
struct AddAndNorm {
  Norm norm;
  NormOrder order;
  double dropout_rate;

  AddAndNorm(const Scope& scope, std::int64_t width, NormOrder norm_order, double dropout,
             NormKind kind = NormKind::layer, bool biased = true, double epsilon = kNormEpsilon)
      : norm(scope, width, kind, biased, epsilon), order(norm_order), dropout_rate(dropout) {}

  template <class Sublayer>
  ResidualStream operator()(const ResidualStream& stream, Run& run,
                            const Sublayer& sublayer) const {
    if (order == NormOrder::post) {
      const Variable x = stream.sum(), y = sublayer(x);
      return norm(x, y, run.mask(dropout_rate), run)[1];
    }
    const auto [sum, normed] = stream.through(norm, run);
    Variable y = sublayer(normed);
    return {sum, std::move(y), run.mask(dropout_rate)};
  }
};

/// The activation between the two linear maps. For swiglu it is none, as a gate takes its place.
Activation activation_of(FeedForwardKind kind);

struct BlockConfig {
  std::int64_t width = 512;
  std::int64_t hidden = 2048;       ///< of the feed-forward layer; 0: none
  HeadShape heads{8, 64};           ///< of self-attention
  HeadShape cross_heads{8, 64};     ///< of attention to the memory, if any
  AttentionPattern pattern{};       ///< of self-attention
  MakeMixer mixer = softmax_mixer;  ///< of self-attention
  bool attends_to_memory = false;
  NormOrder norm_order = NormOrder::post;
  NormKind norm_kind = NormKind::layer;
  double norm_epsilon = kNormEpsilon;
  FeedForwardKind feed_forward = FeedForwardKind::relu;
  double dropout = 0;  ///< on sub-layer outputs
  double attention_dropout = 0, activation_dropout = 0;
  MapOptions maps{};                              ///< without biases, norms have none either
  const char* self_attention = "self_attention";  ///< the path of its parameters
  bool norms_first = false;  ///< register the parameters of a norm before those of its sub-layer
};

struct Block {
  MultiHeadSelfAttention self_attention;
  AddAndNorm self_attention_norm;
  std::optional<MultiHeadCrossAttention> cross_attention;
  std::optional<AddAndNorm> cross_attention_norm;
  std::optional<FeedForward> feed_forward;
  std::optional<AddAndNorm> feed_forward_norm;

  /// layer: the block's number in its stack.
  Block(const Scope& scope, std::int64_t layer, const BlockConfig& config);
  ResidualStream operator()(const ResidualStream& x, const AttentionContext& sequences, Run& run,
                            const std::optional<Rotation>& rotation = {}) const;
  /// Visits the linear maps of each attention and of the feed-forward layer.
  void each_linear(const VisitLinear& visit);
};

}  // namespace kette
