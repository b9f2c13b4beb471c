// Architectures as JSON text and back: the config.json of a model directory.
#pragma once

#include <filesystem>
#include <string>
#include <variant>

#include "models/gpt.h"
#include "models/transformer.h"

namespace kette {

using ModelConfig = std::variant<TransformerConfig, GptConfig>;

std::string to_json(const TransformerConfig& config);
/// tokenizer: the kind of the model's tokenizer (data/text_tokenizer.h), kept beside; may be empty.
std::string to_json(const GptConfig& config, const std::string& tokenizer = "");

/// A missing key, or a value that makes no sense, is an Error that names it; origin stands in its
/// message.
ModelConfig model_config_from_json(const std::string& text, const std::string& origin);

/// The config.json of a model directory.
ModelConfig read_config(const std::filesystem::path& folder);
/// Likewise, of a model of that kind; another kind is an Error that says what it is for.
TransformerConfig read_transformer_config(const std::filesystem::path& folder);
struct GptDescription {
  GptConfig config;
  std::string tokenizer;
};
GptDescription read_gpt_description(const std::filesystem::path& folder);

}  // namespace kette
