// Trained models, and how they are to decode, as options of commands: for `kette translate`, `evaluate`, `score` and
// `generate`.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.h"
#include "decode/loaded_ensemble.h"
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
void say_parameters(const ModelFiles& files, const Metadata& metadata);
/// Loads it and says on stderr which parameters these are: file, step or average.
template <class M>
SavedModel<M> load(const ModelOptions& options) {
  SavedModel<M> saved = load_model<M>(options.model, options.checkpoint, options.device);
  say_parameters({options.model, options.checkpoint}, saved.metadata);
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
  std::vector<ModelFiles> each() const;
  /// Of several processes each computes on a GPU of its own. All call it.
  LoadOptions loading() const;
  /// Its models and checkpoints, and these beside them: what a Sink must not overwrite.
  std::vector<std::filesystem::path> with(const std::vector<std::filesystem::path>& read) const;
};
void add_ensemble_options(CLI::App& command, EnsembleOptions& options);
/// Loads them, and says on stderr which parameters these are. All processes call it.
template <class M>
LoadedEnsemble<M> load(const EnsembleOptions& options) {
  return load_ensemble<M>(options.each(), options.loading(), say_parameters);
}

/// Adds --beam, --length-penalty and the other settings of the search; those that only a search has are returned.
/// language, truncate: of the sentences.
std::vector<Option> add_search_options(CLI::App& command, SearchOptions& options, WorkOptions& work,
                                       std::string& language, bool& truncate);
/// Throws a UsageError or an Error that names the options that make no sense.
void check_search(const EnsembleOptions& model, const DecodingOptions& options);
/// Adds --shortlist.
void add_shortlist_option(CLI::App& command, EnsembleOptions& options);
/// Several translations of each line, drawn or searched for.
struct CandidateOptions {
  bool sample = false;
  SamplingOptions sampling;
};
/// Adds --n-best, --sample with its settings, and --mbr. search: what add_search_options() returned. lists: whether
/// all of them are printed, so that --n-best makes sense without --mbr.
void add_candidate_options(CLI::App& command, DecodingOptions& options,
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
