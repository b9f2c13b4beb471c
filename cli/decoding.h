// A trained model made ready, and how it is to decode: for `kette translate`, `evaluate`, `score` and
// `generate`.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options.h"
#include "decode/search_limits.h"
#include "decode/translator.h"
#include "models/model_directory.h"

namespace kette::cli {

struct ModelOptions {
  std::filesystem::path model, checkpoint;
  Device device;
  DType weights = DType::f32;
};
/// weights: whether they may be rounded for decoding.
void add_model_options(CLI::App& command, ModelOptions& options, bool weights = true);
/// Says on stderr which parameters were loaded: file, step or average.
void say_parameters(const ModelOptions& options, const Metadata& metadata);
/// Loads it and says on stderr which parameters these are: file, step or average.
template <class M>
SavedModel<M> load(const ModelOptions& options) {
  SavedModel<M> saved = load_model<M>(options.model, options.checkpoint, options.device);
  say_parameters(options, saved.metadata);
  return saved;
}

/// Adds --beam, --length-penalty and the other settings of the search.
void add_search_options(CLI::App& command, TranslateOptions& options);
/// Several translations of each line, drawn or searched for.
struct CandidateOptions {
  bool sample = false;
  SamplingOptions sampling;
};
/// Adds --n-best, --sample with its settings, and --mbr. lists: whether all of them are printed, so that
/// --n-best makes sense without --mbr.
void add_candidate_options(CLI::App& command, TranslateOptions& options,
                           CandidateOptions& candidates, bool lists);
/// Adds --beam, which is returned, --beam-kind and --length-penalty. of_one: what a beam of 1 is.
Option add_beam_options(OptionGroup& group, SearchOptions& options,
                        const std::string& of_one = "greedy search");
/// Adds --temperature, --top-k, --top-p and --seed, which are returned.
std::vector<Option> add_sampling_options(OptionGroup& group, SamplingOptions& options);

/// Throws an Error with file and line for the first line that is longer than the model's positions.
void check_lengths(const SavedModel<Transformer>& saved, const std::vector<std::string_view>& lines,
                   const std::string& file, std::int64_t first_line = 1, Side side = Side::source);

}  // namespace kette::cli
