// `kette evaluate`: translates a test set and scores it against its reference, or measures how well a
// language model predicts a text.
#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "cli/arguments.h"
#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/decoding.h"
#include "cli/host.h"
#include "cli/processes.h"
#include "cli/scoring.h"
#include "cli/sentences.h"
#include "cli/shared_translator.h"
#include "cli/show.h"
#include "cli/text_model.h"
#include "data/files/text_file.h"
#include "data/files/visible_text.h"
#include "tensor/suggestion.h"

namespace kette::cli {
namespace {

struct EvaluateOptions {
  CommonOptions common;
  EnsembleOptions model;
  DecodingOptions decoding;
  WorkOptions work;
  std::string language;
  bool truncate = false;
  CandidateOptions candidates;
  ScoringOptions scoring;
  std::filesystem::path source, reference, output, against;
  EvaluateTextOptions text;
};

LoadedEnsemble<Transformer> load_checked(const EnsembleOptions& model, const EvaluateOptions& o,
                                         const TextLines& source) {
  LoadedEnsemble<Transformer> loaded = load<Transformer>(model);
  check_translates(*loaded.tokenizer, model.models.front());
  check_width(o.decoding.search, loaded.models);
  if (!o.truncate) {
    check_lengths(loaded, source.views(), o.source.string(), 1, Side::source, o.language,
                  "--truncate cuts it off");
  }
  say_unknown(loaded.tokenizer, source.views(), o.source.string());
  say_strange_case(model.models.front(), source.views(), o.source.string());
  return loaded;
}

/// Of several processes the first gets them.
std::vector<std::string> translate(const LoadedEnsemble<Transformer>& loaded,
                                   const EvaluateOptions& o, const TextLines& source) {
  const Translator translator(loaded.models, loaded.tokenizer, loaded.types);
  loaded.release();
  const std::vector<std::string> lines(source.views().begin(), source.views().end());
  std::vector<std::string> texts;
  DecodingOptions options = o.decoding;
  options.shortlist = loaded.shortlist();
  DecodingProgress progress;
  std::int64_t cut = 0;
  SharedTranslator(translator, options, o.work, communicator()).run([&](const auto& shared) {
    const auto take = [&](std::int64_t, const Translation& translation) {
      texts.push_back(translation.text);
      cut += translation.truncated ? 1 : 0;
    };
    shared.translate(source_sentences(lines, o.language, o.truncate), options, o.work, take,
                     progress.next_part(1));
  });
  progress.clear();
  if (cut > 0) {
    to_stderr() << "kette: " << visible(o.source.string()) << ": " << cut << " of " << lines.size()
                << " sentences cut, they are too long for the model\n";
  }
  return texts;
}

TextLines beside(const std::filesystem::path& file, const TextLines& source,
                 const EvaluateOptions& o) {
  TextLines lines = read_lines(file, kWholeText);
  KETTE_CHECK(lines.size() == source.size(), file.string(), ": expected ", source.size(),
              " lines, as many as ", o.source.string(), " has, given ", lines.size());
  return lines;
}

ScoreLines views(const std::vector<std::string>& texts) { return {texts.begin(), texts.end()}; }

/// Before anything is loaded.
void check(EvaluateOptions& o) {
  if (!o.text.files.empty()) return o.text.check();
  if (o.source.empty() || o.reference.empty()) {
    throw UsageError(
        "expected --src and --ref for a translation model, or --text for a language model, given " +
        std::string(o.source.empty() && o.reference.empty() ? "neither"
                    : o.source.empty()                      ? "no --src"
                                                            : "no --ref"));
  }
  if (o.candidates.sample) o.decoding.sampling = o.candidates.sampling;
  check_search(o.model, o.decoding);
  o.scoring.check();
}

void evaluate_translation(const EvaluateOptions& o) {
  const TextLines source = read_lines(o.source, kWholeText);
  const TextLines reference = beside(o.reference, source, o);
  const LoadedEnsemble<Transformer> loaded = load_checked(o.model, o, source);
  // The other system is a model in a directory, or a file of translations.
  std::optional<LoadedEnsemble<Transformer>> other_model;
  std::vector<std::string> others;
  if (std::filesystem::is_directory(o.against) || host_model(o.against)) {
    EnsembleOptions other = o.model;
    other.models = {o.against.string()};
    other.checkpoints.clear();
    other_model = load_checked(other, o, source);
  } else if (!o.against.empty()) {
    const TextLines lines = beside(o.against, source, o);
    others.assign(lines.views().begin(), lines.views().end());
  }
  std::optional<Sink> output;
  std::vector<std::filesystem::path> read = o.model.with({o.source, o.reference});
  if (!o.against.empty()) read.push_back(o.against);
  if (!o.output.empty() && communicator().is_first()) output.emplace(o.output, read);
  const std::vector<std::string> translations = translate(loaded, o, source);
  if (other_model) others = translate(*other_model, o, source);
  if (!communicator().is_first()) return;
  if (output) {
    std::string written;
    for (const std::string& translation : translations) written += translation + "\n";
    output->write(written);
    output->finish();
  }
  Report report = report_of_scores(views(translations), {reference.views()},
                                   {o.against.string(), views(others)}, o.scoring);
  report.about = "Of " + names_of(o.model.models) + " on " + o.source.filename().string() +
                 ". Made by kette evaluate.";
  report.fact("beam", o.decoding.search.beam);
  report.fact("length_penalty", o.decoding.search.length_penalty.str());
  report.fact("sentences", source.size());
  show(report, o.common);
}

void run(const EvaluateOptions& o) {
  use_threads(o.common);
  if (o.text.files.empty()) {
    evaluate_translation(o);
  } else {
    show(evaluated_text(o.model, o.text), o.common);
  }
}

void add_options(CLI::App& command, EvaluateOptions& options) {
  add_ensemble_options(command, options.model, NoModel::takes_the_model_to_try);
  OptionGroup pairs(command, "Translation");
  const Option source = pairs.path("--src", options.source, "Sentences to translate");
  pairs.path("--ref", options.reference, "Their reference translations");
  pairs.path(
      "--against", options.against,
      "Another model's directory, or a file of translations: also say whether they are better or worse by more than chance",
      "PATH");
  pairs.path("--output", options.output, "Also write the translations here (-: stdout)").prints();
  const Option texts = add_text_options(command, options.text);
  options.scoring.add_to(command);
  const std::vector<Option> search = add_search_options(
      command, options.decoding.search, options.work, options.language, options.truncate);
  add_shortlist_option(command, options.model);
  add_candidate_options(command, options.decoding, options.candidates, search, false);
  exclude_groups(command, texts, {"Translation", "Scoring", "Search", "Candidates"});
  exclude_groups(command, source, {"Language model"});
  OptionGroup found(command, "Result");
  add_page_option(found, options.common);
  add_common_options(command, options.common);
}

void add_evaluate_options(CLI::App& command) {
  auto options = std::make_shared<EvaluateOptions>();
  add_options(command, *options);
  when_read(command, [options] { check(*options); });
  when_run(command, [options] { run(*options); });
}

}  // namespace

const Command evaluate_command = {
    "evaluate", "Score a translation model on a test set, or a language model on a text",
    add_evaluate_options, true};

}  // namespace kette::cli
