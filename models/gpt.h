// "Language Models are Unsupervised Multitask Learners" (Radford et al. 2019): the decoder-only
// Transformer of GPT-2. Reads top-down:
//   x = token embedding + position embedding
//   x = x + attention(norm(x));  x = x + feed_forward(norm(x))      `layers` times
//   logits = norm(x) E^T        E: the token embedding again
// Other settings (GptConfig) make it a later model, or one of the small models of interpretability
// research: attention only, without norms, biases or a tied output.
#pragma once

#include "models/autoregressive_model.h"
#include "models/gpt_config.h"

namespace kette {

class Gpt final : public AutoregressiveModel {
 public:
  /// Registers every parameter. materialize() or a file gives the values.
  explicit Gpt(const GptConfig& config);

  const GptConfig& config() const override { return config_; }
  std::int64_t positions() const override { return config_.context; }

  /// ids: i32 [rows] -> states [rows, width], the input of output().
  Variable decode(const Tensor& ids, const AttentionContext& sequences, Run& run) const override;
  std::unique_ptr<AutoregressiveModel> for_decoding(const DecodingTypes& types = {}) const override;

  const Embedding& token_embedding() const override { return token_embedding_; }
  /// Empty unless positions are learned.
  const std::optional<Embedding>& position_embedding() const { return position_embedding_; }
  const std::vector<Block>& decoder() const override { return blocks_; }
  const Norm* decoder_norm() const override { return &final_norm_; }
  /// [context, head width] of models with rotary positions; undefined otherwise.
  const Tensor& rotary_table() const { return rotary_table_; }
  const Linear& output() const override { return output_; }
  void each_linear(const VisitLinear& visit) override;
  std::vector<Embedding*> token_tables() override { return {&token_embedding_}; }

 private:
  /// Dropout(token embedding + position embedding, if there is one). Point: embedded.
  Variable embed(const Tensor& ids, const AttentionContext& sequences, Run& run) const;
  void make_tables(DType dtype, Device device) override;
  Linear& output_map() override { return output_; }

  GptConfig config_;
  Embedding token_embedding_;
  std::optional<Embedding> position_embedding_;
  std::vector<Block> blocks_;
  Norm final_norm_;
  Linear output_;
  Tensor rotary_table_;
};

}  // namespace kette
