// A trained model on disk, a folder that other tools can read too:
//   config.json        architecture and vocabulary
//   tokenizer.model    SentencePiece; the files of MarianTokenizer in its place for such a model
//                      (data/tokenizers/marian_tokenizer.h); a language model may have another kind, and a
//                      parser has symbols.json beside it (data/tokenizers/tree_tokenizer.h)
//   model.safetensors  the parameters, by path; metadata say which step, or which average, they are
// or, in the place of the last, adapters for another folder's model (models/adapter_directory.h).
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

/// What the matrices lie in, where that is not f32 (models/quantized.h).
inline constexpr const char* kWeightsKey = "weights";
/// Whose they are: the tokenizer's fingerprint, and the run's (train/run_fingerprint.h). Files of other programs, and of
/// Kette up to 0.1.0, do not say so.
inline constexpr const char* kTokenizerKey = "tokenizer";
inline constexpr const char* kRunKey = "run";

template <class M>
struct SavedModel {
  std::unique_ptr<M> model;
  SharedTokenizer tokenizer;
  Metadata metadata;           ///< of model.safetensors: step, what was averaged, Kette's version
  DType weights = DType::f32;  ///< what they lie in there, which is what decoding takes
};

/// Everything but the parameters, each file written atomically (data/files/atomic_file.h).
void save_description(const std::filesystem::path& folder, const ModelConfig& config,
                      const Tokenizer& tokenizer);

/// The folder's file of parameters: model.safetensors, or its adapters.
std::filesystem::path parameter_file(const std::filesystem::path& folder);

/// The tokenizer of a folder, if it is still the model's.
SharedTokenizer load_tokenizer_of(const std::filesystem::path& folder, const ModelConfig& config);

/// Fills a model of that architecture with the values of the folder, or of another file (a
/// checkpoint), which an Error refuses that says of itself that it is of another vocabulary.
/// Adapters are merged into their base. base: where that lies, if not where it was.
Metadata load_values(const std::filesystem::path& folder, Model& model,
                     const std::filesystem::path& parameters = {},
                     const std::filesystem::path& base = {});

/// What the matrices in a file with these metadata lie in; an Error that names the file where that is
/// nothing Kette writes.
DType weights_of(const Metadata& metadata, const std::filesystem::path& file);

/// All three; a folder of another family than M's is an Error. M may be AutoregressiveModel: of any.
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

/// The run that a folder's parameters are of; "" if they do not say.
std::string training_run_of(const std::filesystem::path& folder);
/// What tells the parameters in a file from others: Kette's checksum, or that of a file of another program.
std::string checksum_of(const Metadata& metadata, const std::filesystem::path& file);

/// One file of parameters. load_parameters checks names and shapes against the model before it
/// changes anything, and that every value is finite. A file of another program needs no checksum.
void save_parameters(const std::filesystem::path& file, const ParamStore& parameters,
                     const Metadata& metadata);
Metadata load_parameters(const std::filesystem::path& file, ParamStore& parameters);

}  // namespace kette
