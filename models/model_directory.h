// A trained model on disk, a folder that other tools can read too:
//   config.json        architecture and vocabulary
//   tokenizer.model    SentencePiece; the files of MarianTokenizer in its place for such a model
//                      (data/tokenizers/marian_tokenizer.h); a language model may have another kind
//   model.safetensors  the parameters, by path; metadata say which step, or which average, they are
// or, in the place of the last, adapters for another folder's model (models/adapter_directory.h).
#pragma once

#include <filesystem>
#include <map>
#include <memory>

#include "data/tokenizers/tokenizer.h"
#include "models/config_json.h"
#include "models/gpt.h"
#include "models/transformer.h"

namespace kette {

inline constexpr const char* kModelFile = "model.safetensors";

using Metadata = std::map<std::string, std::string>;

struct TranslationModel {
  std::unique_ptr<Transformer> transformer;
  SharedTokenizer tokenizer;
  Metadata metadata;  ///< of model.safetensors: step, what was averaged, Kette's version
};

struct LanguageModel {
  std::unique_ptr<Gpt> gpt;
  SharedTokenizer tokenizer;
  Metadata metadata;
};

/// Everything but the parameters, each file written atomically (data/files/atomic_file.h).
void save_description(const std::filesystem::path& folder, const ModelConfig& config,
                      const Tokenizer& tokenizer);

/// Reads the folder, or its architecture with the parameters of another file (a checkpoint).
/// Adapters are merged into their base.
TranslationModel load_translation_model(const std::filesystem::path& folder,
                                        const std::filesystem::path& parameters = {},
                                        Device device = {});
LanguageModel load_language_model(const std::filesystem::path& folder,
                                  const std::filesystem::path& parameters = {}, Device device = {});

/// The folder's file of parameters: model.safetensors, or its adapters.
std::filesystem::path parameter_file(const std::filesystem::path& folder);

/// Fills a model of that architecture as the functions above do. base: where the base of adapters
/// lies, if not where it was.
Metadata load_values(const std::filesystem::path& folder, Model& model,
                     const std::filesystem::path& parameters = {},
                     const std::filesystem::path& base = {});

/// One file of parameters. load_parameters checks names and shapes against the model before it
/// changes anything, and that every value is finite.
void save_parameters(const std::filesystem::path& file, const ParamStore& parameters,
                     const Metadata& metadata);
Metadata load_parameters(const std::filesystem::path& file, ParamStore& parameters);

}  // namespace kette
