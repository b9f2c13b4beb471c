// What a run that learns to translate is told, and what of it makes it the same run.
#include <algorithm>

#include "data/corpora/joint_vocabulary.h"
#include "models/model_directory.h"
#include "train/mixture.h"
#include "train/translation_task.h"

namespace kette {

namespace {

void check_texts(const TranslationTrainOptions& options) {
  const std::size_t texts = options.texts.size();
  KETTE_CHECK(texts > 0, "train: expected parallel text, given none");
  check_mixture(options.weights, options.temperature, options.stages, texts);
  for (const ParallelText& text : options.texts) {
    KETTE_CHECK(text.is_trees() == options.parses(), text.source.name(),
                ": expected files of trees alone, or none, given both");
  }
  for (const ParallelText& text : options.texts) {
    KETTE_CHECK(text.is_prepared() == options.is_prepared(), text.source.name(),
                ": expected texts that are all prepared, or none, given both");
  }
  KETTE_CHECK(
      !options.parses() || (!options.both_directions && languages_of(options.texts).empty()),
      "train: expected trees without languages and another direction, given some");
  KETTE_CHECK(!options.parses() || !is_by_metric(options.best_by),
              "best_by: expected loss or score with trees, whose score is F1, given ",
              options.best_by);
  KETTE_CHECK(!options.parses() || options.join_lines == 1,
              "join_lines: expected parallel text, given trees");
  KETTE_CHECK(
      !options.both_directions || languages_of(options.texts).empty(),
      "both_directions: expected texts without languages, whose sources have no tag of theirs, given languages");
}

}  // namespace

TranslationTrainOptions TranslationTrainOptions::checked() && {
  TranslationTrainOptions options = std::move(*this);
  options.check();
  check_texts(options);
  if (options.from.empty()) {
    options.consistency.check(options.model.dropout);
    return options;
  }
  KETTE_CHECK(options.tokenizer.empty(), options.tokenizer.string(),
              ": expected no tokenizer beside a model to start from, which has its own, given one");
  options.model = read_config_of<TransformerConfig>(options.from);
  options.consistency.check(options.model.dropout);
  return options;
}

RunFingerprint fingerprint_of(const TranslationTrainOptions& options) {
  RunFingerprint fingerprint;
  std::vector<std::filesystem::path> sources, targets;
  std::string languages, columns;
  for (const ParallelText& text : options.texts) {
    sources.push_back(text.source.file);
    if (!text.is_trees()) targets.push_back(text.target.file);
    if (text.source.column > 0) {
      columns += (columns.empty() ? "" : " ") + std::to_string(text.source.column) + "," +
                 std::to_string(text.target.column);
    }
    if (!text.language.empty()) languages += (languages.empty() ? "" : ",") + text.language;
  }
  fingerprint.add_data(options.parses() ? "trees" : "source", sources);
  if (!options.parses()) fingerprint.add_data("target", targets);
  if (!columns.empty()) fingerprint.add("columns", columns);
  if (!languages.empty()) fingerprint.add("languages", languages);
  if (options.both_directions) fingerprint.add("both_directions", "yes");
  add_mixture(options.weights, options.temperature, fingerprint);
  fingerprint.add_data(options.parses() ? "valid_trees" : "valid_source", {options.valid_source});
  if (!options.parses()) fingerprint.add_data("valid_target", {options.valid_target});
  fingerprint.add_model(options.model);
  if (!options.tokenizer.empty()) {
    fingerprint.add("tokenizer", load_tokenizer(options.tokenizer)->fingerprint());
  } else if (options.from.empty()) {
    fingerprint.add("vocab", options.vocabulary);
  }
  fingerprint.add("bpe_dropout", options.bpe_dropout);
  fingerprint.add("max_length", options.max_length);
  fingerprint.add("max_ratio", options.max_ratio);
  if (options.join_lines > 1) fingerprint.add("join_lines", options.join_lines);
  add_to_fingerprint(options, fingerprint);
  return fingerprint;
}

}  // namespace kette
