// Converts model configurations to JSON and back: the config.json of a model directory.
#pragma once

#include <filesystem>
#include <string>

#include "data/tokenizers/tokenizer.h"
#include "models/model_config.h"

namespace kette {

/// tokenizer: its kind and fingerprint are stored, too; may be null.
std::string to_json(const ModelConfig& config, const Tokenizer* tokenizer = nullptr);

/// An Error if a key is missing or a value makes no sense; it names the key. origin: where the text
/// is from, for the Error.
std::unique_ptr<ModelConfig> model_config_from_json(const std::string& text,
                                                    const std::string& origin);

/// The config.json of a model directory.
std::unique_ptr<ModelConfig> read_config(const std::filesystem::path& folder);
/// Also checks the file of parameters: an Error if it has fewer values than the model has
/// parameters. parameters: another file than the folder's own.
std::unique_ptr<ModelConfig> read_config_with_room(const std::filesystem::path& folder,
                                                   const std::filesystem::path& parameters = {});
/// Also checks the family: an Error unless it is that of Config.
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
