// Trained models that write together, most often one, read from their folders to decode with: with their tokenizer, the
// types of weights that decoding takes, and the lexicon of a shortlist.
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

/// What a model is read from. checkpoint: other parameters for it than its model.safetensors; most often none.
struct ModelFiles {
  std::filesystem::path folder, checkpoint;
};

struct LoadOptions {
  Device device;
  std::optional<DType> weights{};  ///< none: those that all of the models lie in, or f32
  DType cache = DType::f32;
  bool shortlist = false;  ///< the first model's lexicon says what a translation may have
};

template <class M>
struct LoadedEnsemble {
  std::vector<std::unique_ptr<M>> loaded;
  SharedTokenizer tokenizer;
  Ensemble models;                         ///< of those that are loaded
  DecodingTypes types;                     ///< for models.for_decoding()
  std::shared_ptr<const Lexicon> lexicon;  ///< if a shortlist was asked for

  /// For DecodingOptions; none without a lexicon.
  ShortlistOf shortlist() const {
    if (!lexicon) return {};
    return
        [its = lexicon](std::span<const std::int32_t> source) { return its->pieces_for(source); };
  }

  /// Frees what was loaded, once models.for_decoding() has made its own.
  void release() const {
    for (const std::unique_ptr<M>& model : loaded) model->parameters().release();
  }
};

/// Throws an Error that names both folders unless the tokenizers give the same tokens.
void check_same_tokens(const ModelFiles& first, const Tokenizer& tokenizer, const ModelFiles& other,
                       const Tokenizer& others);

/// told: of each model, once it is read, what its file says of it.
template <class M>
LoadedEnsemble<M> load_ensemble(
    const std::vector<ModelFiles>& files, const LoadOptions& options,
    const std::function<void(const ModelFiles&, const Metadata&)>& told = {}) {
  std::vector<std::unique_ptr<M>> loaded;
  std::vector<const AutoregressiveModel*> models;
  SharedTokenizer tokenizer;
  std::set<DType> stored;
  for (const ModelFiles& one : files) {
    SavedModel<M> saved = load_model<M>(one.folder, one.checkpoint, options.device);
    if (told) told(one, saved.metadata);
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
