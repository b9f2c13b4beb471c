// `kette evaluate`: translates a test set and scores it against its reference, or says how well a
// language model predicts a text.
#include <iostream>
#include <memory>

#include "cli/commands/commands.h"
#include "cli/common.h"
#include "cli/decoding.h"
#include "cli/scoring.h"
#include "cli/text_model.h"
#include "data/files/atomic_file.h"
#include "data/files/json_text.h"
#include "data/files/text_file.h"

namespace kette::cli {
namespace {

struct EvaluateOptions {
  CommonOptions common;
  ModelOptions model;
  TranslateOptions translate;
  ScoringOptions scoring;
  std::filesystem::path source, reference, output;
  EvaluateTextOptions text;
};

void evaluate_translation(EvaluateOptions& o) {
  if (o.source.empty() || o.reference.empty()) {
    throw UsageError(
        "expected --src and --ref for a translation model, or --text for a language model, given " +
        std::string(o.source.empty() && o.reference.empty() ? "neither"
                    : o.source.empty()                      ? "no --src"
                                                            : "no --ref"));
  }
  o.translate.check();
  const TextLines source = read_lines(o.source, kWholeText);
  const TextLines reference = read_lines(o.reference, kWholeText);
  KETTE_CHECK(source.size() == reference.size(), o.reference.string(), ": expected ", source.size(),
              " lines, as many as ", o.source.string(), " has, given ", reference.size());
  const SavedModel<Transformer> saved = load<Transformer>(o.model);
  check_width(o.translate, *saved.model);
  if (!o.translate.truncate) check_lengths(saved, source.views(), o.source.string());
  const Translator translator(*saved.model, saved.tokenizer, o.model.weights);
  const std::vector<std::string> lines(source.views().begin(), source.views().end());
  const std::vector<Translation> translations = translator.translate(lines, o.translate);
  ScoreLines hypotheses;
  std::string written;
  for (const Translation& translation : translations) {
    hypotheses.push_back(translation.text);
    written += translation.text + "\n";
  }
  if (!o.output.empty()) write_file_atomically(o.output, written);
  const ScoreLine score = score_corpus(hypotheses, {reference.views()}, o.scoring);
  std::cout << score.text << "\n";
  if (o.common.json) {
    print_json({{"metric", o.scoring.metric},
                {"score", score.score},
                {"signature", score.signature},
                {"beam", o.translate.beam},
                {"length_penalty", o.translate.length_penalty.str()},
                {"sentences", source.size()}});
  }
}

void run(EvaluateOptions& o) {
  use_threads(o.common);
  if (o.text.files.empty()) {
    evaluate_translation(o);
  } else {
    evaluate_text(o.model, o.text, o.common.json);
  }
}

}  // namespace

void add_evaluate_command(CLI::App& program) {
  CLI::App& command =
      add_command(program, "evaluate",
                  "Score a translation model on a test set, or a language model on a text");
  auto options = std::make_shared<EvaluateOptions>();
  add_model_options(command, options->model);
  OptionGroup pairs(command, "Translation");
  Option source = pairs.path("--src", options->source, "Sentences to translate");
  pairs.path("--ref", options->reference, "Their reference translations");
  pairs.path("--output", options->output, "Also write the translations here");
  OptionGroup text(command, "Language model");
  text.list("--text", options->text.files,
            "Text to predict, plain or gzip, or a file that kette tokenize made")
      .excludes(source);
  text.choice("--documents", options->text.documents,
              "What ends in an end of text: each file, each line, or the lines between blank ones");
  text.number("--context", options->text.score.context, at_least(1),
              "Tokens of a window (default: as many as the model sees)");
  text.number(
      "--stride", options->text.score.stride, at_least(1),
      "Tokens between windows; fewer give every token more past and take longer (default: half of the context)");
  add_scoring_options(command, options->scoring);
  add_search_options(command, options->translate);
  add_common_options(command, options->common);
  when_run(command, [options] { run(*options); });
}

}  // namespace kette::cli
