// GPT as decoding wants it (see decode/packed_layers.h), and texts that grow by it: the keys and
// values of the past are kept, so a token costs one position.
#pragma once

#include <vector>

#include "decode/packed_layers.h"
#include "models/gpt.h"

namespace kette {

struct PackedGptLayer {
  Residual attention_residual;
  PackedLinear query, key_value, output;
  Residual feed_forward_residual;
  PackedFeedForward feed_forward;

  explicit PackedGptLayer(const GptLayer& layer);
};

class PackedGpt {
 public:
  explicit PackedGpt(const Gpt& model);

  const GptConfig& config() const { return model_->config(); }
  Device device() const { return vocabulary_.weight.panels.device(); }
  const std::vector<PackedGptLayer>& layers() const { return layers_; }
  const Tensor& rotary_table() const { return model_->rotary_table(); }

  Tensor embed(const std::vector<std::int32_t>& ids,
               const std::vector<std::int32_t>& positions) const;
  /// What the last layer leaves, [rows, width] -> [rows, vocabulary].
  Tensor logits(const ResidualStream& states) const;

 private:
  const Gpt* model_;
  std::vector<PackedGptLayer> layers_;
  Norm final_norm_;
  PackedLinear vocabulary_;
};

/// Several texts of equal length side by side, at most `context` tokens long.
class GrowingTexts {
 public:
  GrowingTexts(const PackedGpt& model, std::int64_t texts);

  std::int64_t texts() const { return texts_; }
  std::int64_t length() const { return length_; }
  bool is_full() const { return length_ == model_->config().context; }
  void clear() { length_ = 0; }

  /// tokens: [positions, texts], the next ones of each text. The logits of what follows the last of
  /// them: [texts, vocabulary].
  Tensor append(const std::vector<std::int32_t>& tokens);

 private:
  const PackedGpt* model_;
  std::int64_t texts_, length_ = 0;
  Tensor keys_values_;  // [layers, context, texts, 2 * width]
};

}  // namespace kette
