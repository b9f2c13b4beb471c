// "Attention Is All You Need" (Vaswani et al. 2017): the encoder-decoder Transformer, figure 1.
// Reads top-down like the figure. The blocks are those of nn/block.h.
#pragma once

#include "models/autoregressive_model.h"
#include "models/transformer_config.h"

namespace kette {

class Transformer final : public AutoregressiveModel {
 public:
  /// Registers every parameter. materialize() or a file gives the values.
  explicit Transformer(const TransformerConfig& config);

  const TransformerConfig& config() const override { return config_; }
  std::int64_t positions() const override { return config_.max_length; }
  SpecialTokens special() const override { return config_.special; }
  PositionStream second_positions() const override { return config_.second_positions(); }

  /// source: i32 [rows] -> memory [rows, width].
  Variable encode(const Tensor& source, const AttentionContext& sequences, Run& run) const override;
  /// target: i32 [rows], each sequence starting with <s> -> states [rows, width].
  Variable decode(const Tensor& target, const AttentionContext& sequences, Run& run) const override;
  std::unique_ptr<AutoregressiveModel> for_decoding(const DecodingTypes& types = {}) const override;

  const Embedding& token_embedding() const override { return embedding_; }
  const Embedding& source_embedding() const override {
    return source_embedding_ ? *source_embedding_ : embedding_;
  }
  const std::vector<Block>& encoder() const override { return encoder_; }
  const std::vector<Block>& decoder() const override { return decoder_; }
  const Norm* encoder_norm() const override { return encoder_norm_ ? &*encoder_norm_ : nullptr; }
  const Norm* decoder_norm() const override { return decoder_norm_ ? &*decoder_norm_ : nullptr; }
  std::vector<Block>& encoder() { return encoder_; }
  std::vector<Block>& decoder() { return decoder_; }
  const Linear& output() const override { return output_; }
  void each_linear(const VisitLinear& visit) override;
  std::vector<Embedding*> token_tables() override;

 private:
  /// Dropout(Embedding(ids) * sqrt(width) + PE(positions)). PE is learned or sinusoidal. Point: stack/embedded. second:
  /// i32 [rows], for models with a second stream of positions; half of the columns of PE use it.
  Variable embed(const Embedding& table, const Tensor& ids, const AttentionContext& sequences,
                 const Tensor& second, const char* stack, const std::optional<Embedding>& learned,
                 Run& run) const;
  void make_tables(DType dtype, Device device) override;
  Linear& output_map() override { return output_; }

  TransformerConfig config_;
  Embedding embedding_;
  std::optional<Embedding> source_embedding_;  // of models with two vocabularies
  std::optional<Embedding> encoder_positions_, decoder_positions_;  // if positions are learned
  std::vector<Block> encoder_, decoder_;
  std::optional<Norm> encoder_norm_, decoder_norm_;  // of pre-norm models
  Linear output_;
  Tensor sinusoids_;         // [max_length, width], unless positions are learned
  Tensor second_sinusoids_;  // the same, of models with a second stream of positions
};

}  // namespace kette
