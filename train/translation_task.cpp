#include "train/translation_task.h"

#include <algorithm>

#include "data/checks/corpus_check.h"
#include "data/corpora/joint_vocabulary.h"
#include "data/corpora/prepared_pairs.h"
#include "data/metrics/bleu.h"
#include "data/metrics/score_hints.h"
#include "data/tokenizers/unknown_characters.h"
#include "decode/translator.h"
#include "train/interrupt.h"
#include "train/status_line.h"

namespace kette {
namespace {

SharedTokenizer for_translation(const std::filesystem::path& path) {
  SharedTokenizer tokenizer = load_tokenizer(path);
  KETTE_CHECK(
      tokenizer->special().are_complete() && tokenizer->writes() == Writes::text, path.string(),
      ": expected a tokenizer with the padding and the begin that translation needs, such as one of the kind sentencepiece or marian, given one of the kind ",
      tokenizer->kind());
  return tokenizer;
}

}  // namespace

TranslationTask::TranslationTask(TranslationTrainOptions options)
    : options_(std::move(options).checked()) {
  begin(fingerprint_of(options_));
}

std::int64_t TranslationTask::source_tags() const {
  return languages_of(options_.texts).empty() ? 0 : 1;
}

SharedTokenizer TranslationTask::make_tokenizer() const {
  if (folder().resumes()) {
    return load_tokenizer(options_.out, read_tokenizer_description(options_.out).kind);
  }
  if (!options_.from.empty()) return for_translation(options_.from);
  if (!options_.tokenizer.empty()) return for_translation(options_.tokenizer);
  if (options_.is_prepared()) return for_translation(options_.texts.front().prepared);
  for (const ParallelText& text : options_.texts) check_pairing(text);
  return joint_vocabulary(options_.texts, options_.vocabulary);
}

ParallelCorpus TranslationTask::read_validation(const FilterOptions& filters) {
  valid_source_ = read_lines(options_.valid_source);
  valid_target_ = read_lines(options_.valid_target);
  return ParallelCorpus::from_lines(valid_source_, options_.valid_source.string(), valid_target_,
                                    options_.valid_target.string(), tokenizer(), filters,
                                    options_.texts.front().language);
}

FilterOptions TranslationTask::text_filters() const {
  FilterOptions filters = this->filters();
  filters.join_lines = options_.join_lines;
  return filters;
}

ParallelCorpus TranslationTask::make_corpus(const TokenizeProgress& progress) const {
  std::vector<ParallelCorpus> parts;
  for (std::size_t i = 0; i < options_.texts.size(); ++i) {
    const ParallelText& text = options_.texts[i];
    parts.push_back(text.is_prepared()
                        ? prepared_corpus(text, tokenizer(), longest_sentence())
                        : ParallelCorpus::load_or_make(pairs_file(i), text, tokenizer(),
                                                       text_filters(), progress));
  }
  if (options_.both_directions) {
    for (std::size_t i = 0; i < options_.texts.size(); ++i) parts.push_back(parts[i].swapped());
  }
  return ParallelCorpus::joined(parts);
}

Metric TranslationTask::validation_metric() const {
  const std::string name = options_.scored_by();
  if (name != "bleu") return metric_config(name)->metric();
  BleuOptions options;
  options.tokenizer = options_.bleu_tokenize;
  return bleu_metric(options);
}

std::optional<Score> TranslationTask::validation_score() {
  if (!options_.validate_score) return {};
  const Translator translator(transformer(), tokenizer());
  SearchOptions greedy;
  greedy.beam = 1;
  WorkOptions work;
  work.before_step = interrupt_check(*options_.communicator);
  const std::string& language = options_.texts.front().language;
  const auto translate = [&](const std::vector<std::string>& lines) {
    std::vector<std::string> texts;
    for (const Translation& translation :
         translator.translate(source_sentences(lines, language), greedy, work)) {
      texts.push_back(translation.text);
    }
    return texts;
  };
  const std::vector<std::string> translations = options_.communicator->share_out(
      "decoding", {valid_source_.views().begin(), valid_source_.views().end()}, translate);
  const Metric metric = validation_metric();
  const ScoreStatistics statistics(metric, {translations.begin(), translations.end()},
                                   {valid_target_.views()});
  return Score{"valid_" + options_.scored_by(), "greedy " + metric.name, statistics.score()};
}

std::string TranslationTask::odd_text() const {
  if (options_.is_prepared() || folder().resumes() || options_.quiet) return {};
  StatusLine line(false);
  CorpusReport report = check_corpus(
      {options_.texts, {{options_.valid_source, options_.valid_target}}, {}}, {tokenizer(), 1},
      [&](double share) { line.show(share, [] { return std::string("looking at the text"); }); });
  // Of validation unknown_characters() tells them all.
  std::erase_if(report.texts.back().findings, [](const OddPairs& finding) {
    return finding.oddity == Oddity::unwritable || finding.oddity == Oddity::changed;
  });
  const std::string warnings = warning_lines(report);
  return warnings.empty() ? "" : "\n" + warnings + "(kette check shows such pairs)";
}

std::string TranslationTask::unknown_facts() const {
  if (!options_.is_prepared() || folder().resumes()) return {};
  if (prepared_facts(options_.texts, options_.both_directions)) return {};
  return "\n" + options_.texts.front().source.name() +
         ": expected what each text is like, as this version keeps it, given none in this or another folder of --pairs: "
         "the model will not know in which case, and how many sentences a line, its text is (run kette tokenize again, with "
         "all texts at once)";
}

std::string TranslationTask::score_text() const {
  if (!options_.validate_score) return {};
  std::string text;
  for (const std::string& hint :
       score_hints({}, {valid_target_.views()}, validation_metric().takes_raw_text)) {
    text += "\n" + options_.valid_target.string() + ": " + hint;
  }
  return text;
}

std::string TranslationTask::unknown_characters() const {
  std::string text;
  for (const Side side : {Side::source, Side::target}) {
    const bool is_source = side == Side::source;
    UnknownCharacters unknown(tokenizer(), side);
    unknown.add((is_source ? valid_source_ : valid_target_).views());
    if (unknown.lines_with() == 0) continue;
    text += "\n" + (is_source ? options_.valid_source : options_.valid_target).string() + ": " +
            unknown.text();
  }
  ChangedCharacters changed(tokenizer());
  for (const std::string_view line : valid_target_.views()) changed.add(line);
  if (changed.text().empty()) return text;
  return text + "\n" + options_.valid_target.string() + ": " + changed.text();
}

void TranslationTask::save_facts() const {
  if (options_.is_prepared()) {
    const auto facts = prepared_facts(options_.texts, options_.both_directions);
    if (facts) save(*facts, options_.out);
  } else {
    save(text_facts(options_.texts, options_.both_directions, *tokenizer(), text_filters()),
         options_.out);
  }
}

}  // namespace kette
