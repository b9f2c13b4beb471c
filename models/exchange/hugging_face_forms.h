// The formats in which transformers stores models: names, layouts and settings. Each is a file with
// its Form. To add one, add a line to KETTE_FORMS.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "data/files/json_fwd.h"
#include "models/exchange/hugging_face_files.h"
#include "models/gpt_config.h"
#include "models/model_directory.h"

namespace kette::hugging_face {

struct Form {
  std::vector<std::string> types;  ///< the values of "model_type" in config.json
  /// "GPT-2, 12": the name of the model in this format and its number of layers; empty if the model
  /// needs another format.
  std::string (*what)(const ModelConfig& config);
  SavedModel<Model> (*read)(const std::filesystem::path& folder, const Settings& settings);
  /// An Error if the format cannot represent the model or its tokenizer.
  void (*write)(const std::filesystem::path& folder, const SavedModel<Model>& saved);
  /// Differences on the other side after export.
  std::vector<std::string> (*notes)(const Tokenizer& tokenizer) = nullptr;
};

// clang-format off
#define KETTE_FORMS(ONE) \
  ONE(gpt2_form) \
  ONE(llama_form) \
  ONE(marian_form) \
  ONE(bert_form)
// clang-format on
#define KETTE_DECLARED(form) extern const Form form;
KETTE_FORMS(KETTE_DECLARED)
#undef KETTE_DECLARED

/// The first setting that Llama's format lacks; empty: none.
std::string setting_unlike_llama(const GptConfig& config);
/// Writes everything except the parameters of a language model with a GPT-2 tokenizer. GPT-2 and
/// Llama share it.
void write_language_model(const std::filesystem::path& folder, Json settings,
                          const GptConfig& config, const Tokenizer& tokenizer);

}  // namespace kette::hugging_face
