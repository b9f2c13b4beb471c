// The sizes and settings of an encoder-decoder Transformer, and those of published models.
#pragma once

#include <string>

#include "data/tokenizers/special_tokens.h"
#include "nn/block.h"
#include "nn/positions.h"

namespace kette {

/// Table 3 of the paper names these N, d_model, d_ff, h, P_drop.
struct TransformerConfig {
  std::int64_t encoder_layers = 6, decoder_layers = 6;
  std::int64_t width = 512, hidden = 2048, heads = 8;
  std::int64_t vocabulary = 37000;  ///< shared by source, target and output
  std::int64_t max_length = 1024;   ///< longest sequence, in tokens
  double dropout = 0.1;             ///< on sub-layer outputs and on embeddings + positions
  double attention_dropout = 0, activation_dropout = 0;
  NormOrder norm = NormOrder::post;
  FeedForwardKind feed_forward = FeedForwardKind::relu;
  SinusoidLayout sinusoids = SinusoidLayout::interleaved;
  bool output_bias = false;  ///< added to the logits, as in Marian
  SpecialTokens special;

  /// "tiny" (Wu et al. 2021), "base" or "big" (the paper's Table 3); an unknown name is an Error
  /// that lists them.
  static TransformerConfig preset(const std::string& name);
  /// Throws an Error that names the setting that makes no sense.
  void check() const;
};

}  // namespace kette
