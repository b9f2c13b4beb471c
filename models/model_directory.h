// A trained model on disk, as a folder that other tools can read:
//   config.json        architecture and vocabulary
//   tokenizer.model    SentencePiece. A MarianTokenizer has its own files instead
//                      (data/tokenizers/marian_tokenizer.h). A language model may have another kind. A
//                      parser also has symbols.json (data/tokenizers/tree_tokenizer.h)
//   model.safetensors  the parameters, by path. The metadata say which step or average they are
// Instead of the last, a folder may have adapters for the model of another folder
// (models/adapter_directory.h).
#pragma once

#include <filesystem>
#include <memory>

#include "data/tokenizers/tokenizer.h"
#include "models/bert.h"
#include "models/config_json.h"
#include "models/gpt.h"
#include "models/metadata.h"
#include "models/transformer.h"

namespace kette {

inline constexpr const char* kModelFile = "model.safetensors";

/// The type of the matrices, if it is not f32 (models/quantized.h).
inline constexpr const char* kWeightsKey = "weights";
/// The fingerprints of the tokenizer and of the training run (train/run_fingerprint.h). Files of
/// other programs, and of Kette up to 0.1.0, lack these keys.
inline constexpr const char* kTokenizerKey = "tokenizer";
inline constexpr const char* kRunKey = "run";

template <class M>
struct SavedModel {
  std::unique_ptr<M> model;
  SharedTokenizer tokenizer;
  Metadata metadata;  ///< of model.safetensors: step, averaged steps, Kette's version
  /// The type of the matrices in the file, and the default for decoding.
  DType weights = DType::f32;
};

/// Writes everything except the parameters, each file atomically (data/files/atomic_file.h).
void save_description(const std::filesystem::path& folder, const ModelConfig& config,
                      const Tokenizer& tokenizer);

/// The folder's file of parameters: model.safetensors, or adapter.safetensors.
std::filesystem::path parameter_file(const std::filesystem::path& folder);

/// The tokenizer of a folder. An Error unless it is the one of config.json.
SharedTokenizer load_tokenizer_of(const std::filesystem::path& folder, const ModelConfig& config);

/// Fills an allocated model with the values of the folder, or of another file, such as a
/// checkpoint. An Error if that file is of another vocabulary or, with adapters, of another run. Adapters are merged into
/// their base.
/// base: the base's folder, if it has moved.
Metadata load_values(const std::filesystem::path& folder, Model& model,
                     const std::filesystem::path& parameters = {},
                     const std::filesystem::path& base = {});

/// The type of the matrices in a file with these metadata. An Error that names the file if it is
/// unknown.
DType weights_of(const Metadata& metadata, const std::filesystem::path& file);

/// Loads all of it. An Error if the folder's model is not an M. M may be AutoregressiveModel: any
/// family of it.
template <class M>
SavedModel<M> load_model(const std::filesystem::path& folder,
                         const std::filesystem::path& parameters = {}, Device device = {}) {
  using Config = std::decay_t<decltype(std::declval<const M&>().config())>;
  SavedModel<M> saved;
  if constexpr (std::is_abstract_v<M>) {
    const auto config = read_config_with_room(folder, parameters);
    std::unique_ptr<Model> model = config->make_model();
    KETTE_CHECK(dynamic_cast<M*>(model.get()) != nullptr, folder.string(),
                ": expected a model that writes text, given a ", config->family().what);
    saved.model.reset(dynamic_cast<M*>(model.release()));
  } else {
    saved.model = std::make_unique<M>(read_config_of<Config>(folder, parameters));
  }
  saved.tokenizer = load_tokenizer_of(folder, saved.model->config());
  saved.model->allocate(DType::f32, device, Gradients::none);
  saved.metadata = load_values(folder, *saved.model, parameters);
  saved.weights = weights_of(saved.metadata, folder);
  return saved;
}

/// Without what a training run has said of its own values, for a file of others that were made of them.
Metadata without_training(Metadata metadata);
/// The training run of a folder's parameters; "" if unknown.
std::string training_run_of(const std::filesystem::path& folder);
/// The checksum of the parameters in a file: the one in Kette's metadata, or one of the whole file.
std::string checksum_of(const Metadata& metadata, const std::filesystem::path& file);

/// One file of parameters. load_parameters() checks the checksum, names and shapes before it changes
/// the store, and afterwards that all values are finite; each is an Error. Files of other programs
/// need no checksum.
void save_parameters(const std::filesystem::path& file, const ParamStore& parameters,
                     const Metadata& metadata);
Metadata load_parameters(const std::filesystem::path& file, ParamStore& parameters);

}  // namespace kette
