// The sizes and settings of an encoder-decoder Transformer, and those of published models.
#pragma once

#include "data/tokenizers/position_stream.h"
#include "data/tokenizers/special_tokens.h"
#include "models/model_config.h"
#include "nn/kinds.h"
#include "nn/positions.h"

namespace kette {

const Family& transformer_family();

struct TransformerConfig final : ModelConfig {
  std::int64_t encoder_layers = 6, decoder_layers = 6;  ///< N of the paper's Table 3
  std::int64_t max_length = 1024;                       ///< longest sequence, in tokens
  double activation_dropout = 0;
  NormOrder norm = NormOrder::post;
  FeedForwardKind feed_forward = FeedForwardKind::relu;
  /// sinusoidal, or learned: a table of max_length vectors for either stack (Table 3, row (E)).
  Positions positions = Positions::sinusoidal;
  SinusoidLayout sinusoids = SinusoidLayout::interleaved;
  /// Of the encoder, which then has an embedding of its own; 0: source and target share `vocabulary`.
  std::int64_t source_vocabulary = 0;
  /// Of parsers: half of each target position's sines are of how many tags came before it and at it, which is
  /// the number of the next word, and half of the sources' are of their positions once more, so that attention
  /// need not count. Tags: the ids from first_tag on.
  bool count_tags = false;
  std::int32_t first_tag = 0;
  bool output_bias = false;  ///< added to the logits, as in Marian
  SpecialTokens special;

  /// "tiny" (Wu et al. 2021), "base" or "big" (the paper's Table 3), "parse" for a parser of few trees; an
  /// unknown name is an Error that lists them.
  static TransformerConfig preset(const std::string& name);

  const Family& family() const override { return transformer_family(); }
  std::unique_ptr<ModelConfig> clone() const override {
    return std::make_unique<TransformerConfig>(*this);
  }
  std::unique_ptr<Model> make_model() const override;
  std::vector<Field> fields() override;
  void check() const override;
  /// Of targets.
  PositionStream second_positions() const {
    return count_tags ? PositionStream{first_tag} : PositionStream{};
  }
  void check_tokenizer(const Tokenizer& tokenizer, const std::string& where) const override;
  std::vector<ModelPart> parts() const override;
  void keep_one_layer() override { encoder_layers = decoder_layers = 1; }
  double attention_pairs(const Segments& source, const Segments& target) const override;
  std::int64_t attentions() const override { return encoder_layers + 2 * decoder_layers; }
  std::int64_t source_pieces() const override {
    return source_vocabulary > 0 ? source_vocabulary : vocabulary;
  }
};

/// Small enough that every element can be checked, with every kind of dropout on.
TransformerConfig small_transformer(NormOrder norm);
/// In the form of Marian's models: with SiLU, an output bias, sines before cosines.
TransformerConfig small_marian();
/// With a vocabulary for each side.
TransformerConfig small_parser();
/// Of four heads some attentions have lost one, two or three.
TransformerConfig small_pruned_transformer();
/// Keys half as wide as values, and learned positions.
TransformerConfig small_table_3_transformer();

}  // namespace kette
