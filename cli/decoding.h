// Options for trained models and their decoding, shared by the commands that load models.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/host.h"
#include "cli/options.h"
#include "cli/shipped_models.h"
#include "decode/loaded_ensemble.h"
#include "decode/search_limits.h"
#include "decode/translator.h"
#include "models/model_directory.h"

namespace kette::cli {

struct ModelOptions {
  std::filesystem::path model, checkpoint;
  Device device;
  std::optional<DType> weights{};

  /// The dtype of weights for decoding: the one given, or that of the model's file.
  template <class M>
  DType weights_of(const SavedModel<M>& saved) const {
    return weights.value_or(saved.weights);
  }
};
/// What a command without --model does.
enum class NoModel { is_an_error, takes_the_model_to_try };
/// weights: whether to add --weights.
void add_model_options(CLI::App& command, ModelOptions& options,
                       NoModel none = NoModel::is_an_error, bool weights = false);
/// Says on stderr which parameters were loaded: file, and step or average.
void say_parameters(const ModelFiles& files, const Metadata& metadata);
/// Says on stderr that matrices of this type are computed with in f32, unlike in decoding.
void say_wide(DType weights);
/// load_or_copy(), of a model that has a tokenizer; one in memory may have none.
template <class M>
SavedModel<M> load_with_tokenizer(const std::filesystem::path& folder,
                                  const std::filesystem::path& checkpoint, Device device) {
  SavedModel<M> saved = load_or_copy<M>(folder, checkpoint, device);
  KETTE_CHECK(saved.tokenizer != nullptr,
              "--model: expected a model with a tokenizer, given one in memory that has none");
  return saved;
}
/// Loads a model and calls say_parameters().
template <class M>
SavedModel<M> load(const ModelOptions& options) {
  if (options.model.empty()) throw UsageError(without_model_to_try());
  SavedModel<M> saved = load_with_tokenizer<M>(options.model, options.checkpoint, options.device);
  say_parameters({options.model, options.checkpoint}, saved.metadata);
  if (saved.weights != DType::f32) say_wide(saved.weights);
  return saved;
}

/// An ensemble of models, most often one: several folders, or several checkpoints of one folder.
struct EnsembleOptions {
  std::vector<std::string> models, checkpoints;
  Device device;
  std::optional<DType> weights;
  DType cache = DType::f32;
  bool shortlist = false;  ///< limits output tokens by the first model's lexicon

  /// Throws a UsageError if models and checkpoints do not fit together.
  std::vector<ModelFiles> each() const;
  /// Gives each of several processes its own GPU. All processes must call it.
  LoadOptions loading() const;
  /// The models, the checkpoints and `read`: the files that a Sink must not overwrite.
  std::vector<std::filesystem::path> with(const std::vector<std::filesystem::path>& read) const;
};
void add_ensemble_options(CLI::App& command, EnsembleOptions& options,
                          NoModel none = NoModel::is_an_error);
/// Loads the models and calls say_parameters() for each. All processes must call it.
template <class M>
LoadedEnsemble<M> load(const EnsembleOptions& options) {
  return load_ensemble<M>(options.each(), options.loading(), say_parameters,
                          load_with_tokenizer<M>);
}

/// Adds --beam, --length-penalty and the other options of the search. Returns those that do not apply to sampling.
/// language, truncate: set for the sentences.
std::vector<Option> add_search_options(CLI::App& command, SearchOptions& options, WorkOptions& work,
                                       std::string& language, bool& truncate);
/// Throws a UsageError or an Error that names invalid options.
void check_search(const EnsembleOptions& model, const DecodingOptions& options);
/// Adds --shortlist.
void add_shortlist_option(CLI::App& command, EnsembleOptions& options);
/// Several translations of each line, from sampling or from the beam search.
struct CandidateOptions {
  bool sample = false;
  SamplingOptions sampling;
};
/// Adds --n-best, --sample with its options, and --mbr. search: the result of add_search_options(). lists: whether the
/// command prints all translations; otherwise --n-best needs --mbr.
void add_candidate_options(CLI::App& command, DecodingOptions& options,
                           CandidateOptions& candidates, const std::vector<Option>& search,
                           bool lists);
struct BeamOptions {
  Option beam, kind, length_penalty;
};
/// Adds --beam, --beam-kind and --length-penalty. of_one: the name of a beam of 1, for help.
BeamOptions add_beam_options(OptionGroup& group, SearchOptions& options,
                             const std::string& of_one = "greedy search");
/// Adds and returns --temperature, --top-k, --top-p and --seed.
std::vector<Option> add_sampling_options(OptionGroup& group, SamplingOptions& options);

/// Throws an Error for a parser. instead: what to use for parsers.
void check_translates(const Tokenizer& tokenizer, const std::string& model,
                      const std::string& instead = "kette parse");
/// Throws an Error with file and line for the first line that does not fit the models' positions. language: its tag
/// begins each line; "": no tag.
void check_lengths(const LoadedEnsemble<Transformer>& loaded,
                   const std::vector<std::string_view>& lines, const std::string& file,
                   std::int64_t first_line = 1, Side side = Side::source,
                   const std::string& language = "", const std::string& advice = "split the line");
/// Adds --to, the target language of a multilingual model.
Option add_language_option(OptionGroup& group, std::string& language);

}  // namespace kette::cli
