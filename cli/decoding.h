// Trained models made ready, and how they are to decode: for `kette translate`, `evaluate`, `score` and
// `generate`.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.h"
#include "data/corpora/lexicon.h"
#include "decode/search_limits.h"
#include "decode/translator.h"
#include "models/model_directory.h"

namespace kette::cli {

struct ModelOptions {
  std::filesystem::path model, checkpoint;
  Device device;
  std::optional<DType> weights{};

  /// What decoding is to take: if nothing was given, what the model lies in.
  template <class M>
  DType weights_of(const SavedModel<M>& saved) const {
    return weights.value_or(saved.weights);
  }
};
/// weights: whether they may be rounded for decoding.
void add_model_options(CLI::App& command, ModelOptions& options, bool weights = false);
/// Says on stderr which parameters were loaded: file, step or average.
void say_parameters(const ModelOptions& options, const Metadata& metadata);
/// Loads it and says on stderr which parameters these are: file, step or average.
template <class M>
SavedModel<M> load(const ModelOptions& options) {
  SavedModel<M> saved = load_model<M>(options.model, options.checkpoint, options.device);
  say_parameters(options, saved.metadata);
  return saved;
}

/// Models that write together, most often one: several folders, or several checkpoints of one.
struct EnsembleOptions {
  std::vector<std::string> models, checkpoints;
  Device device;
  std::optional<DType> weights;
  DType cache = DType::f32;
  bool shortlist = false;  ///< the first model's lexicon says what a translation may have

  /// Throws a UsageError where models and checkpoints do not fit together.
  std::vector<ModelOptions> each() const;
  /// Where this process computes: of several, each has a GPU of its own. All call it.
  Device own_device() const;
  /// Its models and checkpoints, and these beside them: what a Sink must not overwrite.
  std::vector<std::filesystem::path> with(const std::vector<std::filesystem::path>& read) const;
};
void add_ensemble_options(CLI::App& command, EnsembleOptions& options);
template <class M>
struct LoadedEnsemble {
  std::vector<std::unique_ptr<M>> loaded;
  SharedTokenizer tokenizer;
  Ensemble models;  ///< of those that are loaded
  /// What decoding is to take: of weights what was asked for, or what all of them lie in, or f32.
  DecodingTypes types;
  std::shared_ptr<const Lexicon> lexicon;  ///< if a shortlist was asked for

  /// For TranslateOptions.
  std::function<std::vector<std::int32_t>(std::span<const std::int32_t> source)> shortlist() const {
    if (!lexicon) return {};
    return
        [its = lexicon](std::span<const std::int32_t> source) { return its->pieces_for(source); };
  }

  /// The memory of what was loaded, once models.for_decoding() has been called.
  void release() const {
    for (const std::unique_ptr<M>& model : loaded) model->parameters().release();
  }
};
/// Throws an Error that names both folders unless the tokenizers give the same tokens.
void check_same_tokens(const ModelOptions& first, const Tokenizer& tokenizer,
                       const ModelOptions& other, const Tokenizer& others);
template <class M>
LoadedEnsemble<M> load(const EnsembleOptions& options) {
  const std::vector<ModelOptions> each = options.each();
  std::vector<std::unique_ptr<M>> loaded;
  std::vector<const AutoregressiveModel*> models;
  SharedTokenizer tokenizer;
  std::set<DType> stored;
  const Device device = options.own_device();
  for (ModelOptions one : each) {
    one.device = device;
    SavedModel<M> saved = load<M>(one);
    stored.insert(saved.weights);
    if (tokenizer) check_same_tokens(each.front(), *tokenizer, one, *saved.tokenizer);
    tokenizer = saved.tokenizer;
    models.push_back(saved.model.get());
    loaded.push_back(std::move(saved.model));
  }
  const DType common = stored.size() == 1 ? *stored.begin() : DType::f32;
  std::shared_ptr<const Lexicon> lexicon;
  if (options.shortlist) {
    lexicon = std::make_shared<Lexicon>(Lexicon::load(each.front().model / kLexiconFile, *tokenizer,
                                                      training_run_of(each.front().model)));
  }
  return {std::move(loaded),
          std::move(tokenizer),
          Ensemble(models),
          {options.weights.value_or(common), options.cache},
          std::move(lexicon)};
}

/// Adds --beam, --length-penalty and the other settings of the search; those that only a search has are returned.
std::vector<Option> add_search_options(CLI::App& command, TranslateOptions& options);
/// Throws a UsageError or an Error that names the options that make no sense.
void check_search(const EnsembleOptions& model, const TranslateOptions& options);
/// Adds --shortlist.
void add_shortlist_option(CLI::App& command, EnsembleOptions& options);
/// Several translations of each line, drawn or searched for.
struct CandidateOptions {
  bool sample = false;
  SamplingOptions sampling;
};
/// Adds --n-best, --sample with its settings, and --mbr. search: what add_search_options() returned. lists: whether
/// all of them are printed, so that --n-best makes sense without --mbr.
void add_candidate_options(CLI::App& command, TranslateOptions& options,
                           CandidateOptions& candidates, const std::vector<Option>& search,
                           bool lists);
struct BeamOptions {
  Option beam, kind, length_penalty;
};
/// Adds --beam, --beam-kind and --length-penalty. of_one: what a beam of 1 is.
BeamOptions add_beam_options(OptionGroup& group, SearchOptions& options,
                             const std::string& of_one = "greedy search");
/// Adds --temperature, --top-k, --top-p and --seed, which are returned.
std::vector<Option> add_sampling_options(OptionGroup& group, SamplingOptions& options);

/// Throws an Error for a parser, whose trees are no text. instead: what is for parsers.
void check_translates(const Tokenizer& tokenizer, const std::string& model,
                      const std::string& instead = "kette parse");
/// Throws an Error with file and line for the first line that is longer than the models' positions. language: whose
/// tag leads each line; none if empty.
void check_lengths(const LoadedEnsemble<Transformer>& loaded,
                   const std::vector<std::string_view>& lines, const std::string& file,
                   std::int64_t first_line = 1, Side side = Side::source,
                   const std::string& language = "");
/// Adds --to, the language of a model trained with several.
Option add_language_option(OptionGroup& group, std::string& language);

}  // namespace kette::cli
