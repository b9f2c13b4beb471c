// Architectures as JSON text and back: the config.json of a model directory.
#pragma once

#include <filesystem>
#include <string>

#include "data/tokenizers/tokenizer.h"
#include "models/model_config.h"

namespace kette {

/// tokenizer: the model's, of which kind and fingerprint are kept beside; may be null.
std::string to_json(const ModelConfig& config, const Tokenizer* tokenizer = nullptr);

/// A missing key, or a value that makes no sense, is an Error that names it; origin stands in its
/// message.
std::unique_ptr<ModelConfig> model_config_from_json(const std::string& text,
                                                    const std::string& origin);

/// The config.json of a model directory.
std::unique_ptr<ModelConfig> read_config(const std::filesystem::path& folder);
/// Likewise, and a model with more parameters than its file has numbers is an Error. parameters: a
/// file in the place of the folder's own.
std::unique_ptr<ModelConfig> read_config_with_room(const std::filesystem::path& folder,
                                                   const std::filesystem::path& parameters = {});
/// Likewise, of a model of that family; another is an Error that says what it is for.
template <class Config>
Config read_config_of(const std::filesystem::path& folder,
                      const std::filesystem::path& parameters = {}) {
  const auto config = read_config_with_room(folder, parameters);
  const auto* wanted = dynamic_cast<const Config*>(config.get());
  KETTE_CHECK(wanted != nullptr, folder.string(), ": expected a ", Config().family().what,
              ", given a ", config->family().what, "; ", config->family().use);
  return *wanted;
}

/// What config.json says of the tokenizer; empty in older files.
struct TokenizerDescription {
  std::string kind, fingerprint;
};
TokenizerDescription read_tokenizer_description(const std::filesystem::path& folder);

}  // namespace kette
