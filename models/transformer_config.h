// The sizes and settings of an encoder-decoder Transformer, and those of published models.
#pragma once

#include "data/tokenizers/special_tokens.h"
#include "models/model_config.h"
#include "nn/block.h"
#include "nn/positions.h"

namespace kette {

const Family& transformer_family();

struct TransformerConfig final : ModelConfig {
  std::int64_t encoder_layers = 6, decoder_layers = 6;  ///< N of the paper's Table 3
  std::int64_t max_length = 1024;                       ///< longest sequence, in tokens
  double activation_dropout = 0;
  NormOrder norm = NormOrder::post;
  FeedForwardKind feed_forward = FeedForwardKind::relu;
  SinusoidLayout sinusoids = SinusoidLayout::interleaved;
  bool output_bias = false;  ///< added to the logits, as in Marian
  SpecialTokens special;

  /// "tiny" (Wu et al. 2021), "base" or "big" (the paper's Table 3); an unknown name is an Error
  /// that lists them.
  static TransformerConfig preset(const std::string& name);

  const Family& family() const override { return transformer_family(); }
  std::unique_ptr<ModelConfig> clone() const override {
    return std::make_unique<TransformerConfig>(*this);
  }
  std::unique_ptr<Model> make_model() const override;
  std::vector<Field> fields() override;
  void check() const override;
  void check_tokenizer(const Tokenizer& tokenizer, const std::string& where) const override;
  std::vector<SummaryRow> summary() const override;
  double attention_pairs(const Segments& source, const Segments& target) const override;
  std::int64_t attentions() const override { return encoder_layers + 2 * decoder_layers; }
};

/// Small enough that every element can be checked, with every kind of dropout on.
TransformerConfig small_transformer(NormOrder norm);
/// In the form of Marian's models: with SiLU, an output bias, sines before cosines.
TransformerConfig small_marian();
/// Of four heads some attentions have lost one, two or three.
TransformerConfig small_pruned_transformer();

}  // namespace kette
