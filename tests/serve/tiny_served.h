// Models that a test or a fuzzer can serve: a translation model from English to German and one that writes bytes, both
// with random weights.
#pragma once

#include <filesystem>
#include <memory>

#include "data/tokenizers/byte_tokenizer.h"
#include "models/model_directory.h"
#include "serve/served_models.h"

namespace kette::testing {

inline void save_random(const std::filesystem::path& folder, Model& model,
                        const ModelConfig& config, const Tokenizer& tokenizer) {
  std::filesystem::create_directories(folder);
  model.materialize(1);
  save_description(folder, config, tokenizer);
  save_parameters(folder / kModelFile, model.parameters(), {{"step", "8"}});
}

/// Below a folder: en-de, with this tokenizer, and gpt.
inline void save_tiny_models(const std::filesystem::path& folder, TransformerConfig translates,
                             GptConfig writes, const Tokenizer& tokenizer) {
  translates.vocabulary = tokenizer.vocabulary();
  const ByteTokenizer bytes;
  writes.vocabulary = bytes.vocabulary();
  Transformer transformer(translates);
  save_random(folder / "en-de", transformer, translates, tokenizer);
  Gpt gpt(writes);
  save_random(folder / "gpt", gpt, writes, bytes);
}

inline std::shared_ptr<const ServedModels> serve_tiny_models(const std::filesystem::path& folder,
                                                             std::int64_t threads) {
  return std::make_shared<const ServedModels>(
      load_served_models({{"en-de", folder / "en-de"}, {"gpt", folder / "gpt"}}, {},
                         {.threads = threads, .batch_tokens = 512}));
}

}  // namespace kette::testing
