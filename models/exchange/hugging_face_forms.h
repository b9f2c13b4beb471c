// The forms in which transformers keeps models: names, layouts and settings. A new one is a file of its own, which has
// its Form, and a line here.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "data/files/json_text.h"
#include "models/exchange/hugging_face_files.h"
#include "models/gpt_config.h"
#include "models/model_directory.h"

namespace kette::hugging_face {

struct Form {
  std::vector<std::string> types;  ///< the "model_type" of a config.json
  /// "GPT-2, 12": what a model in it is called, and how many layers it has; empty: it is to be written in another.
  std::string (*what)(const ModelConfig& config);
  SavedModel<Model> (*read)(const std::filesystem::path& folder, const Settings& settings);
  /// Throws if the model, or its tokenizer, has what the form has no place for.
  void (*write)(const std::filesystem::path& folder, const SavedModel<Model>& saved);
  /// What is otherwise on the other side, once it is written.
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

/// The first setting that is another than in Llama's form; empty: there is none.
std::string setting_unlike_llama(const GptConfig& config);
/// Of a language model with a GPT-2 tokenizer everything but the parameters, which GPT-2's and Llama's forms have alike.
void write_language_model(const std::filesystem::path& folder, Json settings,
                          const GptConfig& config, const Tokenizer& tokenizer);

}  // namespace kette::hugging_face
