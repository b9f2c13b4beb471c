// The options of training for translation, and those that a resume must keep.
#include <algorithm>

#include "data/corpora/joint_vocabulary.h"
#include "train/mixture.h"
#include "train/translation_task.h"

namespace kette {

namespace {

void check_texts(const TranslationTrainOptions& options) {
  KETTE_CHECK(!options.texts.empty(), "train: expected parallel text, given none");
  for (const ParallelText& text : options.texts) {
    KETTE_CHECK(text.is_prepared() == options.is_prepared(), text.source.name(),
                ": expected texts that are all prepared, or none, given both");
  }
  KETTE_CHECK(
      !options.both_directions || languages_of(options.texts).empty(),
      "both_directions: expected texts without languages, whose sources have no tag of theirs, given languages");
}

}  // namespace

TranslationTrainOptions TranslationTrainOptions::checked() && {
  TranslationTrainOptions options = std::move(*this);
  options.check();
  check_texts(options);
  options.check_pairs(options.texts.size());
  return options;
}

RunFingerprint fingerprint_of(const TranslationTrainOptions& options) {
  RunFingerprint fingerprint;
  std::vector<std::filesystem::path> sources, targets;
  std::string languages, columns;
  for (const ParallelText& text : options.texts) {
    sources.push_back(text.source.file);
    targets.push_back(text.target.file);
    if (text.source.column > 0) {
      columns += (columns.empty() ? "" : " ") + std::to_string(text.source.column) + "," +
                 std::to_string(text.target.column);
    }
    if (!text.language.empty()) languages += (languages.empty() ? "" : ",") + text.language;
  }
  fingerprint.add_data("source", sources);
  fingerprint.add_data("target", targets);
  if (!columns.empty()) fingerprint.add("columns", columns);
  if (!languages.empty()) fingerprint.add("languages", languages);
  if (options.both_directions) fingerprint.add("both_directions", "yes");
  add_mixture(options.weights, options.temperature, fingerprint);
  fingerprint.add_data("valid_source", {options.valid_source});
  fingerprint.add_data("valid_target", {options.valid_target});
  add_of_pairs(options, fingerprint);
  if (options.join_lines > 1) fingerprint.add("join_lines", options.join_lines);
  if (options.best_by != kByLoss && options.scored_by() == "bleu") {
    // Scores by other words compare to nothing. Runs of older versions do not say theirs, and go on with any.
    const std::string tokenizer = enum_name(options.bleu_tokenize);
    fingerprint.defaults.push_back({"bleu_tokenize", tokenizer});
    fingerprint.add("bleu_tokenize", tokenizer);
  }
  add_to_fingerprint(options, fingerprint);
  return fingerprint;
}

}  // namespace kette
