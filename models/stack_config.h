// Settings of models with one stack of blocks: of language models (models/gpt_config.h) and of
// masked language models (models/bert_config.h).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "models/model_config.h"
#include "nn/kinds.h"
#include "nn/positions.h"
#include "tensor/tensor.h"

namespace kette {

class Scope;
struct BlockConfig;
struct Embedding;
struct MapOptions;

struct StackConfig : ModelConfig {
  std::int64_t layers = 12;
  std::int64_t context = 1024;  ///< the most tokens of a sequence
  /// Any but sinusoidal, which only translation models have.
  Positions positions = Positions::learned;
  NormKind norm_kind = NormKind::layer;
  double norm_epsilon = kNormEpsilon;
  double rotary_base = 10000;  ///< base of the angles of rotary positions
  FeedForwardKind feed_forward = FeedForwardKind::gelu;
  bool biases = true;  ///< of linear maps and of layer norms

  /// Has the sizes of the smallest GPT-2 and of BERT base.
  StackConfig();

  std::vector<Field> fields() override;
  void check() const override;
  std::int64_t attentions() const override { return layers; }
  void keep_one_layer() override { layers = 1; }

  /// Initial values as in the code of GPT-2 and BERT. pre: the residual stream is a sum of 2 *
  /// layers outputs. Their initial values are scaled down so that its variance does not grow with
  /// depth.
  MapOptions map_options(NormOrder order) const;
  /// The settings that all blocks share.
  BlockConfig block_config(NormOrder order) const;
  /// [context, head width] with rotary positions; undefined otherwise.
  Tensor make_rotary_table(DType dtype, Device device) const;
};

/// Standard deviation of the initial values of matrices and tables.
inline constexpr double kInitialDeviation = 0.02;

/// Empty unless positions are learned.
std::optional<Embedding> position_embedding_of(const Scope& scope, const StackConfig& config);

}  // namespace kette
