// The sizes and settings of an encoder-decoder Transformer, and the presets of published models.
#pragma once

#include "data/tokenizers/position_stream.h"
#include "data/tokenizers/special_tokens.h"
#include "models/model_config.h"
#include "nn/kinds.h"
#include "nn/positions.h"

namespace kette {

const Family& transformer_family();

struct TransformerConfig final : ModelConfig {
  std::int64_t encoder_layers = 6, decoder_layers = 6;  ///< N of Table 3
  std::int64_t max_length = 1024;                       ///< longest sequence, in tokens
  double activation_dropout = 0;
  NormOrder norm = NormOrder::post;
  FeedForwardKind feed_forward = FeedForwardKind::relu;
  /// sinusoidal, or learned: each stack has a table of max_length vectors (Table 3, row (E)).
  Positions positions = Positions::sinusoidal;
  SinusoidLayout sinusoids = SinusoidLayout::interleaved;
  /// The encoder's vocabulary, with an embedding of its own; 0: source and target share `vocabulary`.
  std::int64_t source_vocabulary = 0;
  /// For parsers. Half of the sinusoids of a target position encode the number of tags up to it,
  /// which is the number of the next word. Half of those of a source encode its position again. So
  /// attention need not count. Tags are the ids from first_tag on.
  bool count_tags = false;
  std::int32_t first_tag = 0;
  bool output_bias = false;  ///< added to the logits, as in Marian
  SpecialTokens special;

  /// "tiny" (Wu et al. 2021), "base" or "big" (Table 3), or "parse" for a parser with a small
  /// treebank. An unknown name is an Error that lists all.
  static TransformerConfig preset(const std::string& name);

  const Family& family() const override { return transformer_family(); }
  std::unique_ptr<ModelConfig> clone() const override {
    return std::make_unique<TransformerConfig>(*this);
  }
  std::unique_ptr<Model> make_model() const override;
  std::vector<Field> fields() override;
  void check() const override;
  /// The second stream of target positions, if count_tags.
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

/// Small enough to check the gradient of every element, with every kind of dropout on.
TransformerConfig small_transformer(NormOrder norm);
/// Like Marian's models: SiLU, an output bias, sines before cosines.
TransformerConfig small_marian();
/// With separate vocabularies for source and target.
TransformerConfig small_parser();
/// Four heads, pruned by one, two or three in some attentions.
TransformerConfig small_pruned_transformer();
/// Keys half as wide as values, and learned positions.
TransformerConfig small_table_3_transformer();

}  // namespace kette
