// What models of one stack of blocks have in common, whichever way they read a text: the sizes and settings of
// language models (models/gpt_config.h) and of masked ones (models/bert_config.h).
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
  std::int64_t context = 1024;               ///< tokens the model sees at once
  Positions positions = Positions::learned;  ///< sinusoidal is for translation models alone
  NormKind norm_kind = NormKind::layer;
  double norm_epsilon = kNormEpsilon;
  double rotary_base = 10000;  ///< of the angles by which positions turn
  FeedForwardKind feed_forward = FeedForwardKind::gelu;
  bool biases = true;  ///< of linear maps and of layer norms

  /// The sizes of GPT-2's smallest and of BERT's base model.
  StackConfig();

  std::vector<Field> fields() override;
  void check() const override;
  std::int64_t attentions() const override { return layers; }
  void keep_one_layer() override { layers = 1; }

  /// Of initial values, as in the code of GPT-2 and of BERT. pre: the residual stream is a sum of 2 * layers
  /// outputs then, and those begin so small that its variance does not grow with them.
  MapOptions map_options(NormOrder order) const;
  /// What is the same in all blocks.
  BlockConfig block_config(NormOrder order) const;
  /// [context, head width], of rotary positions; undefined otherwise.
  Tensor make_rotary_table(DType dtype, Device device) const;
};

/// Of the initial values of matrices and tables.
inline constexpr double kInitialDeviation = 0.02;

/// Nothing where positions are not learned.
std::optional<Embedding> position_embedding_of(const Scope& scope, const StackConfig& config);

}  // namespace kette
