// `kette evaluate`: translates a test set and scores it against its reference.
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/common.h"
#include "cli/decoding.h"
#include "cli/scoring.h"
#include "data/atomic_file.h"
#include "data/text_file.h"

namespace kette::cli {
namespace {

struct EvaluateOptions {
  CommonOptions common;
  ModelOptions model;
  TranslateOptions translate;
  ScoringOptions scoring;
  std::filesystem::path source, reference, output;
};

void run(EvaluateOptions& o) {
  use_threads(o.common);
  o.translate.check();
  const TextLines source = read_lines(o.source), reference = read_lines(o.reference);
  KETTE_CHECK(source.size() == reference.size(), o.reference.string(), ": expected ", source.size(),
              " lines, as many as ", o.source.string(), " has, given ", reference.size());
  const TranslationModel model = load(o.model);
  if (!o.translate.truncate) check_lengths(model, source.views(), o.source.string());
  const Translator translator(*model.transformer, model.tokenizer);
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

}  // namespace

void add_evaluate_command(CLI::App& program) {
  CLI::App* command = program.add_subcommand("evaluate", "Translate a test set and score it");
  auto options = std::make_shared<EvaluateOptions>();
  add_model_options(*command, options->model);
  OptionGroup text(*command, "Text");
  text.path("--src", options->source, "Sentences to translate")->required();
  text.path("--ref", options->reference, "Their reference translations")->required();
  text.path("--output", options->output, "Also write the translations here");
  add_scoring_options(*command, options->scoring);
  add_search_options(*command, options->translate);
  add_common_options(*command, options->common);
  command->callback([options] { run(*options); });
}

}  // namespace kette::cli
