// Loads one or more trained models from their folders for decoding, with their tokenizer, the types
// of their weights, and the lexicon of a shortlist.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "data/corpora/lexicon.h"
#include "decode/ensemble.h"
#include "decode/translation_request.h"
#include "models/model_directory.h"

namespace kette {

/// The files of one model. checkpoint: parameters to use instead of model.safetensors; may be
/// empty.
struct ModelFiles {
  std::filesystem::path folder, checkpoint;
};

struct LoadOptions {
  Device device;
  std::optional<DType> weights{};  ///< empty: the type of all models' files, or f32 if they differ
  DType cache = DType::f32;
  bool shortlist = false;  ///< load the lexicon of the first model
};

template <class M>
struct LoadedEnsemble {
  std::vector<std::unique_ptr<M>> loaded;
  SharedTokenizer tokenizer;
  Ensemble models;                         ///< refers to `loaded`
  DecodingTypes types;                     ///< for models.for_decoding()
  std::shared_ptr<const Lexicon> lexicon;  ///< null unless a shortlist was asked for

  /// For DecodingOptions; empty without a lexicon.
  ShortlistOf shortlist() const {
    if (!lexicon) return {};
    return
        [its = lexicon](std::span<const std::int32_t> source) { return its->pieces_for(source); };
  }

  /// Frees the values of the loaded models. Call it after models.for_decoding().
  void release() const {
    for (const std::unique_ptr<M>& model : loaded) model->parameters().release();
  }
};

/// Throws an Error that names both folders unless the tokenizers give the same tokens.
void check_same_tokens(const ModelFiles& first, const Tokenizer& tokenizer, const ModelFiles& other,
                       const Tokenizer& others);

template <class M>
using LoadOne = std::function<SavedModel<M>(
    const std::filesystem::path& folder, const std::filesystem::path& checkpoint, Device device)>;

/// on_loaded: called with the metadata of each model once it is loaded.
template <class M>
LoadedEnsemble<M> load_ensemble(
    const std::vector<ModelFiles>& files, const LoadOptions& options,
    const std::function<void(const ModelFiles&, const Metadata&)>& on_loaded = {},
    const LoadOne<M>& load = load_model<M>) {
  std::vector<std::unique_ptr<M>> loaded;
  std::vector<const AutoregressiveModel*> models;
  SharedTokenizer tokenizer;
  std::set<DType> stored;
  for (const ModelFiles& one : files) {
    SavedModel<M> saved = load(one.folder, one.checkpoint, options.device);
    if (on_loaded) on_loaded(one, saved.metadata);
    stored.insert(saved.weights);
    if (tokenizer) check_same_tokens(files.front(), *tokenizer, one, *saved.tokenizer);
    tokenizer = saved.tokenizer;
    models.push_back(saved.model.get());
    loaded.push_back(std::move(saved.model));
  }
  const DType common = stored.size() == 1 ? *stored.begin() : DType::f32;
  std::shared_ptr<const Lexicon> lexicon;
  if (options.shortlist) {
    const std::filesystem::path& first = files.front().folder;
    lexicon = std::make_shared<Lexicon>(
        Lexicon::load(first / kLexiconFile, *tokenizer, training_run_of(first)));
  }
  return {std::move(loaded),
          std::move(tokenizer),
          Ensemble(models),
          {options.weights.value_or(common), options.cache},
          std::move(lexicon)};
}

}  // namespace kette
