// Architectures as JSON text and back: the config.json of a model directory.
#pragma once

#include <filesystem>
#include <string>
#include <variant>

#include "data/tokenizers/tokenizer.h"
#include "models/gpt_config.h"
#include "models/transformer_config.h"

namespace kette {

using ModelConfig = std::variant<TransformerConfig, GptConfig>;

std::string to_json(const TransformerConfig& config);
/// tokenizer: the model's (data/tokenizers/tokenizer.h), of which kind and fingerprint are kept beside; may
/// be null.
std::string to_json(const GptConfig& config, const Tokenizer* tokenizer = nullptr);

/// A missing key, or a value that makes no sense, is an Error that names it; origin stands in its
/// message.
ModelConfig model_config_from_json(const std::string& text, const std::string& origin);

/// The config.json of a model directory.
ModelConfig read_config(const std::filesystem::path& folder);
/// Likewise, of a model of that kind; another kind is an Error that says what it is for, and so is a
/// model with more parameters than its file has numbers. parameters: a file in the place of the
/// folder's own.
TransformerConfig read_transformer_config(const std::filesystem::path& folder,
                                          const std::filesystem::path& parameters = {});
struct GptDescription {
  GptConfig config;
  std::string tokenizer;              ///< its kind
  std::string tokenizer_fingerprint;  ///< may be empty
};
GptDescription read_gpt_description(const std::filesystem::path& folder,
                                    const std::filesystem::path& parameters = {});

}  // namespace kette
