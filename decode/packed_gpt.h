// GPT as decoding wants it (see decode/packed_layers.h).
#pragma once

#include <vector>

#include "decode/packed_layers.h"
#include "models/gpt.h"

namespace kette {

struct PackedGptLayer {
  Residual attention_residual;
  PackedLinear query_key_value, output;
  Residual feed_forward_residual;
  PackedFeedForward feed_forward;

  PackedGptLayer(const GptLayer& layer, DType weights);
};

class PackedGpt {
 public:
  explicit PackedGpt(const Gpt& model, DType weights = DType::f32);

  const GptConfig& config() const { return model_->config(); }
  Device device() const { return vocabulary_.weight.panels.device(); }
  const std::vector<PackedGptLayer>& layers() const { return layers_; }
  const Tensor& rotary_table() const { return model_->rotary_table(); }

  Tensor embed(const Tensor& ids, const Tensor& positions) const;
  /// What the last layer leaves of some rows -> logits [rows, vocabulary].
  void project(const ResidualStream& states, const Tensor& logits) const;

 private:
  const Gpt* model_;
  std::vector<PackedGptLayer> layers_;
  Norm final_norm_;
  PackedLinear vocabulary_;
};

}  // namespace kette
