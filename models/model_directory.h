// A trained translation model on disk, a folder that other tools can read too:
//   config.json        architecture and vocabulary
//   tokenizer.model    SentencePiece
//   model.safetensors  the parameters, by path; metadata say which step, or which average, they are
#pragma once

#include <filesystem>
#include <map>
#include <memory>

#include "data/tokenizer.h"
#include "models/transformer.h"

namespace kette {

using Metadata = std::map<std::string, std::string>;

struct TranslationModel {
  std::unique_ptr<Transformer> transformer;
  Tokenizer tokenizer;
  Metadata metadata;  ///< of model.safetensors: step, what was averaged, Kette's version
};

/// Writes the three files, each one atomically (data/atomic_file.h).
void save_model(const std::filesystem::path& folder, const Transformer& model,
                const Tokenizer& tokenizer, const Metadata& metadata);
/// Reads the folder, or its architecture with the parameters of another file (a checkpoint).
TranslationModel load_model(const std::filesystem::path& folder,
                            const std::filesystem::path& parameters = {}, Device device = {});

/// One file of parameters. load_parameters checks names and shapes against the model before it
/// changes anything.
void save_parameters(const std::filesystem::path& file, const ParamStore& parameters,
                     const Metadata& metadata);
Metadata load_parameters(const std::filesystem::path& file, ParamStore& parameters);

/// The architecture as JSON text and back; an unknown or missing key is an Error that names it.
std::string to_json(const TransformerConfig& config);
TransformerConfig transformer_config_from_json(const std::string& text, const std::string& origin);

}  // namespace kette
