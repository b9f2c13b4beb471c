#include "train/translation_task.h"

#include <algorithm>
#include <limits>

#include "data/checks/corpus_check.h"
#include "data/corpora/joint_vocabulary.h"
#include "data/corpora/prepared_pairs.h"
#include "data/corpora/text_facts.h"
#include "data/metrics/bleu.h"
#include "data/metrics/parse_score.h"
#include "data/metrics/score_hints.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"
#include "data/tokenizers/unknown_characters.h"
#include "data/tokenizers/word_tokenizer.h"
#include "data/trees/linear_tree.h"
#include "decode/translator.h"
#include "decode/tree_parser.h"
#include "train/mixture.h"
#include "train/status_line.h"

namespace kette {
namespace {

/// In the model directory: a text as ids, so that a resume need not make them again.
std::string pairs_file(std::size_t text) {
  return text == 0 ? "train.tokens" : "train-" + std::to_string(text + 1) + ".tokens";
}

SharedTokenizer for_translation(const std::filesystem::path& path) {
  SharedTokenizer tokenizer = load_tokenizer(path);
  KETTE_CHECK(
      tokenizer->special().are_complete() && tokenizer->kind() != "tree", path.string(),
      ": expected a tokenizer of the kind sentencepiece or marian, which have the padding and the begin that translation needs, given one of the kind ",
      tokenizer->kind());
  return tokenizer;
}

/// The words of all trees.
SharedTokenizer words_of_trees(const std::vector<Treebank>& banks, std::int64_t vocabulary) {
  std::vector<std::string> sentences;
  for (const Treebank& bank : banks) {
    for (const Tree& tree : bank.trees) sentences.push_back(sentence_of(tree));
  }
  const std::vector<std::string_view> lines(sentences.begin(), sentences.end());
  return WordTokenizer::train(lines, vocabulary);
}

TransformerConfig model_config(const TranslationTrainOptions& options, const Tokenizer& tokenizer) {
  TransformerConfig config = options.model;
  if (!options.from.empty()) return config;
  config.vocabulary = tokenizer.vocabulary();
  const auto* trees = dynamic_cast<const TreeTokenizer*>(&tokenizer);
  config.source_vocabulary = trees ? tokenizer.source_vocabulary() : 0;
  const PositionStream tags = tokenizer.second_positions();
  config.count_tags = config.count_tags && tags.exists();
  config.first_tag = config.count_tags ? tags.first : 0;
  config.special = tokenizer.special();
  return config;
}

}  // namespace

TranslationTask::TranslationTask(TranslationTrainOptions options)
    : options_(std::move(options).checked()),
      folder_(options_, fingerprint_of(options_)),
      tokenizer_(folder_.shared_tokenizer([&] { return make_tokenizer(); })),
      valid_source_(options_.parses() ? TextLines() : read_lines(options_.valid_source)),
      valid_target_(options_.parses() ? TextLines() : read_lines(options_.valid_target)),
      valid_gold_(options_.parses() ? read_trees(options_.valid_source) : Treebank()),
      valid_trees_(cleaned(valid_gold_)),
      valid_(make_validation()),
      valid_batches_(plan_validation()),
      corpus_(options_.communicator->first_then_others("reading the text",
                                                       [&] { return make_corpus(); })),
      sampler_(corpus_, batch_options()),
      model_(model_config(options_, *tokenizer_)),
      start_(model_, options_) {}

std::int64_t TranslationTask::source_tags() const {
  return languages_of(options_.texts).empty() ? 0 : 1;
}

SharedTokenizer TranslationTask::make_tokenizer() const {
  if (options_.parses()) return tokenizer_for_trees();
  if (folder_.resumes()) {
    return load_tokenizer(options_.out, read_tokenizer_description(options_.out).kind);
  }
  if (!options_.from.empty()) return for_translation(options_.from);
  if (!options_.tokenizer.empty()) return for_translation(options_.tokenizer);
  if (options_.is_prepared()) return for_translation(options_.texts.front().prepared);
  for (const ParallelText& text : options_.texts) check_pairing(text);
  return joint_vocabulary(options_.texts, options_.vocabulary);
}

SharedTokenizer TranslationTask::tokenizer_for_trees() const {
  std::vector<Treebank> banks;
  for (const ParallelText& text : options_.texts) {
    banks.push_back(cleaned(read_trees(text.source.file)));
  }
  const TreeTokenizer::Shared tokenizer = [&] {
    if (folder_.resumes()) return tree_tokenizer_of(load_tokenizer(options_.out), options_.out);
    if (!options_.from.empty()) {
      return tree_tokenizer_of(load_tokenizer(options_.from), options_.from);
    }
    SharedTokenizer words;
    if (!options_.tokenizer.empty()) {
      words = load_tokenizer(options_.tokenizer);
      if (words->kind() == "tree") return tree_tokenizer_of(words, options_.tokenizer);
    } else {
      words = words_of_trees(banks, options_.vocabulary);
    }
    return std::make_shared<const TreeTokenizer>(words, symbols_of(banks), banks.front().name);
  }();
  KETTE_CHECK(
      options_.bpe_dropout == 0 || tokenizer->is_bpe(),
      "bpe_dropout: expected words that a BPE model cuts, given whole words (--tokenizer takes a "
      "SentencePiece model)");
  for (const Treebank& bank : banks) {
    for (std::size_t i = 0; i < bank.trees.size(); ++i) {
      const std::string unknown = tokenizer->symbols().unknown_in(bank.trees[i]);
      KETTE_CHECK(unknown.empty(), bank.place(i),
                  ": expected the labels and tags of the model, given ", unknown,
                  " (relabel it, or train a model from the start)");
    }
  }
  return tokenizer;
}

ParallelCorpus TranslationTask::make_validation() const {
  FilterOptions filters;
  filters.max_length = std::numeric_limits<std::int64_t>::max();
  filters.must_fit = longest_sentence();
  return options_.parses()
             ? ParallelCorpus::from_trees(valid_trees_, tokenizer_, filters)
             : ParallelCorpus::from_lines(valid_source_, options_.valid_source.string(),
                                          valid_target_, options_.valid_target.string(), tokenizer_,
                                          filters, options_.texts.front().language);
}

std::vector<Batch> TranslationTask::plan_validation() const {
  std::vector<Batch> batches;
  for (const auto& sentences : plan_batches(valid_, options_.batch_tokens)) {
    batches.push_back(make_batch(valid_, sentences, tokenizer_->special()));
  }
  return batches;
}

FilterOptions TranslationTask::filters() const {
  return {.max_length = options_.max_length,
          .max_ratio = options_.max_ratio,
          .must_fit = longest_sentence(),
          .join_lines = options_.join_lines};
}

ParallelCorpus TranslationTask::make_corpus() const {
  StatusLine line(options_.quiet || !options_.communicator->is_first());
  std::vector<ParallelCorpus> parts;
  for (std::size_t i = 0; i < options_.texts.size(); ++i) {
    const ParallelText& text = options_.texts[i];
    parts.push_back(text.is_prepared() ? prepared_corpus(text, tokenizer_, longest_sentence())
                                       : ParallelCorpus::load_or_make(options_.out / pairs_file(i),
                                                                      text, tokenizer_, filters(),
                                                                      show_on(line, "pairs")));
  }
  if (options_.both_directions) {
    for (std::size_t i = 0; i < options_.texts.size(); ++i) parts.push_back(parts[i].swapped());
  }
  return ParallelCorpus::joined(parts);
}

BatchOptions TranslationTask::batch_options() const {
  return {.tokens_per_batch = options_.batch_tokens,
          .seed = options_.seed,
          .bpe_dropout = options_.bpe_dropout,
          .shares = shares_of_stages(options_.weights, options_.temperature, options_.stages,
                                     corpus_.ends_of_parts())};
}

std::optional<Score> TranslationTask::validation_score() {
  if (!options_.validate_bleu) return {};
  return options_.parses() ? f1_of_validation() : score_of_validation();
}

Metric TranslationTask::validation_metric() const {
  const std::string name = options_.scored_by();
  if (name != "bleu") return metric_config(name)->metric();
  BleuOptions options;
  options.tokenizer = options_.bleu_tokenize;
  return bleu_metric(options);
}

Score TranslationTask::score_of_validation() const {
  const Translator translator(model_, tokenizer_);
  SearchOptions greedy;
  greedy.beam = 1;
  const std::string& language = options_.texts.front().language;
  const auto translate = [&](const std::vector<std::string>& lines) {
    std::vector<std::string> texts;
    for (const Translation& translation :
         translator.translate(source_sentences(lines, language), greedy)) {
      texts.push_back(translation.text);
    }
    return texts;
  };
  const std::vector<std::string> translations = options_.communicator->share_out(
      "decoding", {valid_source_.views().begin(), valid_source_.views().end()}, translate);
  const Metric metric = validation_metric();
  const ScoreStatistics statistics(metric, {translations.begin(), translations.end()},
                                   {valid_target_.views()});
  return {"valid_" + options_.scored_by(), "greedy " + metric.name, statistics.score()};
}

Score TranslationTask::f1_of_validation() const {
  SearchOptions greedy = parse_options();
  greedy.beam = 1;
  std::vector<std::string> sentences;
  for (const Tree& tree : valid_trees_.trees) sentences.push_back(sentence_of(tree));
  Treebank found = valid_trees_;
  const TreeParser parser(model_, tokenizer_);
  const auto parse_lines = [&](const std::vector<std::string>& lines) {
    std::vector<std::string> trees;
    for (const Parse& parse : parser.parse(lines, greedy)) trees.push_back(to_text(parse.tree));
    return trees;
  };
  const std::string text =
      joined(options_.communicator->share_out("decoding", sentences, parse_lines), "\n");
  found.trees = parse_trees(TextLines(text, "parsed"), "parsed").trees;
  ParseScoreOptions scoring;
  scoring.gold_punctuation = true;  // a comma with a wrong tag takes no sentence out of the score
  return {"valid_f1", "greedy F1", parse_score(valid_gold_, found, scoring).all.f1()};
}

std::string TranslationTask::report() const {
  const TransformerConfig& config = model_.config();
  const std::string vocabulary = options_.parses()
                                     ? std::to_string(config.source_vocabulary) + " words and " +
                                           std::to_string(config.vocabulary) + " symbols"
                                     : std::to_string(config.vocabulary);
  return corpus_.report().text() + dropped_validation() + odd_text() + score_text() +
         unknown_characters() + strange_labels() + "\n" + start_.report(options_) +
         ", vocabulary of " + vocabulary + ", " + std::to_string(sampler_.batches_in_epoch()) +
         " batches an epoch";
}

std::string TranslationTask::dropped_validation() const {
  if (valid_.report().dropped() == 0) return {};
  return "\nto validate on: " + valid_.report().text();
}

std::string TranslationTask::odd_text() const {
  if (options_.parses() || options_.is_prepared() || folder_.resumes() || options_.quiet) return {};
  StatusLine line(false);
  CorpusReport report = check_corpus(
      {options_.texts, {{options_.valid_source, options_.valid_target}}, {}}, {tokenizer_, 1},
      [&](double share) {
        line.show([&] { return "looking at the text" + time_left(line.seconds(), share); });
      });
  // Of validation unknown_characters() tells them all.
  std::erase_if(report.texts.back().findings, [](const OddPairs& finding) {
    return finding.oddity == Oddity::unwritable || finding.oddity == Oddity::changed;
  });
  const std::string warnings = warning_lines(report);
  return warnings.empty() ? "" : "\n" + warnings + "(kette check shows such pairs)";
}

std::string TranslationTask::score_text() const {
  if (options_.parses() || !options_.validate_bleu) return {};
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
    UnknownCharacters unknown(tokenizer_, side);
    unknown.add((is_source ? valid_source_ : valid_target_).views());
    if (unknown.lines_with() == 0) continue;
    text += "\n" + (is_source ? options_.valid_source : options_.valid_target).string() + ": " +
            unknown.text();
  }
  if (options_.parses()) return text;
  ChangedCharacters changed(tokenizer_);
  for (const std::string_view line : valid_target_.views()) changed.add(line);
  if (changed.text().empty()) return text;
  return text + "\n" + options_.valid_target.string() + ": " + changed.text();
}

std::string TranslationTask::strange_labels() const {
  if (!options_.parses()) return {};
  const auto tokenizer = tree_tokenizer_of(tokenizer_, options_.out);
  std::int64_t count = 0;
  std::string first;
  for (std::size_t i = 0; i < valid_trees_.trees.size(); ++i) {
    const std::string unknown = tokenizer->symbols().unknown_in(valid_trees_.trees[i]);
    if (unknown.empty() || count++ > 0) continue;
    first = unknown + " at " + valid_trees_.place(i);
  }
  if (count == 0) return {};
  return "\n" + std::to_string(count) +
         " of the trees to validate on have labels that no tree to learn from has, the first " +
         first + "; the model cannot write them";
}

void TranslationTask::save_description() const {
  kette::save_description(options_.out, model_.config(), *tokenizer_);
  if (options_.is_prepared()) {
    copy_text_facts(options_.texts.front().prepared, options_.out);
  } else if (!options_.parses()) {
    save(text_facts(options_.texts, options_.both_directions, *tokenizer_, filters()),
         options_.out);
  }
  start_.save_description(options_);
}

}  // namespace kette
