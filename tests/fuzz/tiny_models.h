// Models and tokenizers so small that an input takes a fraction of a millisecond.
#pragma once

#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "models/adapter_directory.h"
#include "models/model_directory.h"
#include "tests/data/tiny_text.h"

namespace kette::fuzz {

inline TransformerConfig tiny_transformer(std::int64_t vocabulary) {
  TransformerConfig config;
  config.encoder_layers = config.decoder_layers = 1;
  config.width = config.hidden = 4;
  config.heads = 2;
  config.vocabulary = vocabulary;
  config.max_length = 32;
  return config;
}

inline GptConfig tiny_gpt() {
  GptConfig config;
  config.layers = 1;
  config.width = config.hidden = 4;
  config.heads = 2;
  config.vocabulary = 257;
  config.context = 16;
  return config;
}

/// Without the tables of nmt_nfkc, which are a hundred times as large as all the rest.
inline SharedTokenizer tiny_tokenizer(SentencePieceOptions options = {}) {
  using Normalization = SentencePieceOptions::Normalization;
  options.normalization = options.byte_fallback ? Normalization::lossless : Normalization::identity;
  const testing::TinyText text = testing::tiny_text();
  const TextLines source = text.source_lines(), target = text.target_lines();
  options.vocabulary = options.byte_fallback ? 330 : 80;
  return SentencePieceTokenizer::train(testing::joint(source, target), options);
}

/// Eight floats that a model can compute with, to be repeated.
inline std::string sane_values() {
  const float values[] = {0.25f, -0.5f, 0.125f, 1, -0.75f, 0.0625f, 0.5f, -0.25f};
  return {reinterpret_cast<const char*>(values), sizeof values};
}

/// Behind a seed that ends in values it makes one of them NaN, and the seed one to be refused.
inline const std::string kNan("\0\0\xC0\x7F", sizeof(float));

/// More than a harness computes with.
inline bool is_large(const ParamStore& parameters) { return parameters.elements() > 100'000; }

}  // namespace kette::fuzz
