#include "cli/decoding.h"

#include <algorithm>

#include "cli/common.h"
#include "cli/host.h"
#include "cli/processes.h"
#include "data/files/safetensors.h"
#include "data/files/visible_text.h"
#include "data/metrics/metrics.h"
#include "train/gpu_processes.h"

namespace kette::cli {
namespace {

std::string describe(const Metadata& metadata) {
  if (const std::string steps = value_in(metadata, "averaged_steps"); !steps.empty())
    return "average of the steps " + steps;
  if (const std::string step = value_in(metadata, "step"); !step.empty()) return "step " + step;
  return value_in(metadata, kChecksumKey).empty()
             ? "written by another program, without Kette's checksum"
             : "step unknown";
}

std::string instead_of(NoModel none) {
  return none == NoModel::is_an_error ? "" : or_model_to_try();
}

}  // namespace

void add_model_options(CLI::App& command, ModelOptions& options, NoModel none, bool weights) {
  OptionGroup group(command, "Model");
  Option model =
      group.path("--model", options.model, "The model directory" + instead_of(none), "DIR")
          .changed_by(model_folder);
  if (none == NoModel::is_an_error)
    model.required();
  else
    options.model = shipped_model(kModelToTry);
  group.path("--checkpoint", options.checkpoint,
             "Other parameters for it (default: its model.safetensors)");
  add_device_option(group, options.device);
  if (weights) add_weights_option(group, options.weights, "what they are in the directory");
}

void add_ensemble_options(CLI::App& command, EnsembleOptions& options, NoModel none) {
  OptionGroup group(command, "Model");
  Option model =
      group
          .list(
              "--model", options.models,
              "The model directory" + instead_of(none) +
                  "; several are an ensemble, which predicts the geometric mean of what they predict, made to add up to 1",
              "DIR")
          .changed_by(model_folder);
  if (none == NoModel::is_an_error)
    model.required();
  else if (const std::filesystem::path tried = shipped_model(kModelToTry); !tried.empty())
    options.models = {tried};
  group.list(
      "--checkpoint", options.checkpoints,
      "Other parameters for it (default: its model.safetensors); several of one model are an ensemble");
  add_device_option(group, options.device);
  add_weights_option(group, options.weights, "what they are in the directories");
  add_cache_option(group, options.cache);
}

std::vector<ModelFiles> EnsembleOptions::each() const {
  if (models.empty()) throw UsageError(without_model_to_try());
  if (!checkpoints.empty() && models.size() > 1 && checkpoints.size() != models.size()) {
    throw UsageError("--checkpoint: expected one for each of " + std::to_string(models.size()) +
                     " models, or none, given " + std::to_string(checkpoints.size()));
  }
  std::vector<ModelFiles> each;
  for (std::size_t i = 0; i < std::max(models.size(), checkpoints.size()); ++i) {
    each.push_back({models.size() == 1 ? models.front() : models[i],
                    checkpoints.empty() ? "" : checkpoints[i]});
  }
  return each;
}

LoadOptions EnsembleOptions::loading() const {
  return {own_device(communicator(), device, device.index > 0), weights, cache, shortlist};
}

std::vector<std::filesystem::path> EnsembleOptions::with(
    const std::vector<std::filesystem::path>& read) const {
  std::vector<std::filesystem::path> all(models.begin(), models.end());
  all.insert(all.end(), checkpoints.begin(), checkpoints.end());
  all.insert(all.end(), read.begin(), read.end());
  return all;
}

void say_parameters(const ModelFiles& files, const Metadata& metadata) {
  if (Host::current() != nullptr) return;  // which knows its models
  const std::filesystem::path file =
      files.checkpoint.empty() ? parameter_file(files.folder) : files.checkpoint;
  const bool is_foreign = !files.checkpoint.empty() && !metadata.contains(kTokenizerKey);
  to_stderr() << visible(file.string() + ", " + describe(metadata))
              << (is_foreign ? ", does not say of which vocabulary" : "") << std::endl;
}

void say_wide(DType weights) {
  if (Host::current() != nullptr) return;
  to_stderr() << "kette: the model's " << name_of(weights)
              << " weights are computed with in f32 here; decoding computes in " << name_of(weights)
              << ", and may write something else\n";
}

BeamOptions add_beam_options(OptionGroup& group, SearchOptions& options,
                             const std::string& of_one) {
  const Option beam =
      group.number("--beam", options.beam, at_least(1), "Hypotheses kept; 1 is " + of_one);
  const Option kind = group.choice(
      "--beam-kind", options.kind,
      "Whether a finished hypothesis keeps its place, or leaves it to another one, as in generate() of Hugging Face's transformers");
  const Option length_penalty = group.custom(
      "--length-penalty",
      [&options](const std::string& text) { options.length_penalty = parse_length_penalty(text); },
      [&options] { return options.length_penalty.str(); },
      "gnmt:ALPHA for ((5 + n) / 6)^ALPHA, len:ALPHA for n^ALPHA, or none", "NAME");
  return {beam, kind, length_penalty};
}

std::vector<Option> add_sampling_options(OptionGroup& group, SamplingOptions& options) {
  return {group.number("--temperature", options.temperature, at_least(0),
                       "Above 1 bolder, below 1 safer; 0 takes the likeliest token"),
          group.number("--top-k", options.top_k, at_least(0),
                       "Choose among this many likeliest tokens; 0: all"),
          group.number("--top-p", options.top_p, above(0),
                       "Choose among the likeliest tokens that together have this probability"),
          group.number("--seed", options.seed, "The same seed gives the same text")};
}

void add_candidate_options(CLI::App& command, DecodingOptions& options,
                           CandidateOptions& candidates, const std::vector<Option>& search,
                           bool lists) {
  OptionGroup group(command, "Candidates");
  Option n_best = group.number(
      "--n-best", options.search.n_best, at_least(1),
      lists
          ? "Best translations of each line, or as many samples, as `line ||| text ||| score`: lines from 1, LINE.SENTENCE where a line is parted (--split lines parts none), one row for a line without text, but of whole lines one for each sample; the logarithm of the probability by the length penalty. With --json a line of JSON with all of each, for texts that hold |||. Of those with the same text the best stands for all, of samples each"
          : "Best translations of each line, or as many samples, for --mbr");
  Option mbr = group.one_of(
      "--mbr", metric_names(), [&options](const std::string& name) { options.minimum_risk = name; },
      [&options] { return options.minimum_risk.value_or(""); },
      "Take the one of the --n-best that is most like all of them by this score, the one of minimum Bayes risk");
  mbr.needs(n_best);
  if (!lists) n_best.needs(mbr);
  Option sample =
      group.flag("--sample", candidates.sample, "Draw translations by chance instead of searching");
  for (const Option& option : search) sample.excludes(option);
  for (Option option : add_sampling_options(group, candidates.sampling)) option.needs(sample);
}

Option add_language_option(OptionGroup& group, std::string& language) {
  return group.text(
      "--to", language,
      "Of a model of several target languages: the one to translate to (a name given "
      "to --languages, or of an OPUS-MT model a tag such as deu; a text that begins with "
      ">>deu<< itself needs none)",
      "LANGUAGE");
}

std::vector<Option> add_search_options(CLI::App& command, SearchOptions& options, WorkOptions& work,
                                       std::string& language, bool& truncate) {
  OptionGroup group(command, "Search");
  const BeamOptions beam = add_beam_options(group, options);
  group.number("--batch-tokens", work.batch_tokens, at_least(1),
               "Tokens times beam that each thread has at once");
  group.number("--extra-length", options.extra_length, at_least(0),
               "Output of at most source + N tokens");
  group.number(
      "--max-length", options.max_length, at_least(1),
      "Output of at most N tokens (default: any); the end mark of one as long as this or --extra-length lets it be counts as certain with --beam-kind full, as in transformers");
  const Option min_length =
      group.number("--min-length", options.min_length, at_least(0), "Output of at least N tokens");
  group.flag("--allow-unknown,!--no-unknown", options.allow_unknown,
             "Let the unknown piece be chosen");
  add_language_option(group, language);
  group.flag("--truncate", truncate, "Cut sources that are too long for the model");
  return {beam.beam, beam.kind, min_length};
}

void check_translates(const Tokenizer& tokenizer, const std::string& model,
                      const std::string& instead) {
  KETTE_CHECK(tokenizer.writes() == Writes::text, model,
              ": expected a translation model, given a parser (", instead, ")");
}

void check_search(const EnsembleOptions& model, const DecodingOptions& options) {
  options.check();
  if (!model.shortlist) return;
  if (options.sampling)
    throw UsageError("--shortlist: expected a search, given --sample beside it");
  if (!model.device.takes_shortlists()) {
    throw UsageError("--shortlist: expected --device cpu beside it, given " + model.device.str());
  }
}

void add_shortlist_option(CLI::App& command, EnsembleOptions& options) {
  OptionGroup(command, "Search")
      .flag(
          "--shortlist", options.shortlist,
          "Choose only from what the lexicon in the first model's directory has for a sentence (kette lexicon makes it); on a CPU");
}

void check_lengths(const LoadedEnsemble<Transformer>& loaded,
                   const std::vector<std::string_view>& lines, const std::string& file,
                   std::int64_t first_line, Side side, const std::string& language,
                   const std::string& advice) {
  const std::int64_t tags = language.empty() ? 0 : 1;
  const auto limit = static_cast<std::size_t>(loaded.models.positions() - 1 - tags);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto tokens = tokens_above(*loaded.tokenizer, lines[i], side, limit);
    KETTE_CHECK(
        !tokens, file, ":", first_line + static_cast<std::int64_t>(i), ": expected at most ", limit,
        " tokens, as many as the model has positions for, given ", *tokens, " (", advice, ")");
  }
}

}  // namespace kette::cli
