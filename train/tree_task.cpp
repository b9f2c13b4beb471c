#include "train/tree_task.h"

#include "data/corpora/tree_pairs.h"
#include "data/metrics/parse_score.h"
#include "data/tokenizers/word_tokenizer.h"
#include "data/trees/linear_tree.h"
#include "decode/tree_parser.h"
#include "train/interrupt.h"
#include "train/mixture.h"

namespace kette {
namespace {

/// The words of all trees.
SharedTokenizer words_of_trees(const std::vector<Treebank>& banks, std::int64_t vocabulary) {
  std::vector<std::string> sentences;
  for (const Treebank& bank : banks) {
    for (const Tree& tree : bank.trees) sentences.push_back(sentence_of(tree));
  }
  const std::vector<std::string_view> lines(sentences.begin(), sentences.end());
  return WordTokenizer::train(lines, vocabulary);
}

}  // namespace

TreeTrainOptions TreeTrainOptions::checked() && {
  TreeTrainOptions options = std::move(*this);
  options.check();
  KETTE_CHECK(!options.trees.empty(), "train: expected files of trees, given none");
  KETTE_CHECK(!is_by_metric(options.best_by),
              "best_by: expected loss or score with trees, whose score is F1, given ",
              options.best_by);
  options.check_pairs(options.trees.size());
  return options;
}

RunFingerprint fingerprint_of(const TreeTrainOptions& options) {
  RunFingerprint fingerprint;
  fingerprint.add_data("trees", options.trees);
  add_mixture(options.weights, options.temperature, fingerprint);
  fingerprint.add_data("valid_trees", {options.valid_trees});
  add_of_pairs(options, fingerprint);
  add_to_fingerprint(options, fingerprint);
  return fingerprint;
}

TreeTask::TreeTask(TreeTrainOptions options) : options_(std::move(options).checked()) {
  begin(fingerprint_of(options_));
}

TreeTokenizer::Shared TreeTask::tokenizer_for(const std::vector<Treebank>& banks) const {
  if (folder().resumes()) return tree_tokenizer_of(load_tokenizer(options_.out), options_.out);
  if (!options_.from.empty()) {
    return tree_tokenizer_of(load_tokenizer(options_.from), options_.from);
  }
  SharedTokenizer words;
  if (!options_.tokenizer.empty()) {
    words = load_tokenizer(options_.tokenizer);
    if (words->writes() == Writes::trees) return tree_tokenizer_of(words, options_.tokenizer);
  } else {
    words = words_of_trees(banks, options_.vocabulary);
  }
  return std::make_shared<const TreeTokenizer>(words, symbols_of(banks), banks.front().name);
}

SharedTokenizer TreeTask::make_tokenizer() const {
  std::vector<Treebank> banks;
  for (const auto& file : options_.trees) banks.push_back(cleaned(read_trees(file)));
  const TreeTokenizer::Shared tokenizer = tokenizer_for(banks);
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

TreeTokenizer::Shared TreeTask::tree_tokenizer() const {
  return tree_tokenizer_of(tokenizer(), options_.out);
}

ParallelCorpus TreeTask::read_validation(const FilterOptions& filters) {
  valid_gold_ = read_trees(options_.valid_trees);
  valid_trees_ = cleaned(valid_gold_);
  return pairs_of_trees(valid_trees_, tokenizer(), filters);
}

ParallelCorpus TreeTask::make_corpus(const TokenizeProgress& progress) const {
  std::vector<ParallelCorpus> parts;
  for (std::size_t i = 0; i < options_.trees.size(); ++i) {
    parts.push_back(
        pairs_of_trees(options_.trees[i], tokenizer(), filters(), pairs_file(i), progress));
  }
  return ParallelCorpus::joined(parts);
}

TransformerConfig TreeTask::model_config() const {
  TransformerConfig config = ParallelTask::model_config();
  if (options_.from.empty()) config.source_vocabulary = tokenizer()->source_vocabulary();
  return config;
}

std::optional<Score> TreeTask::validation_score() {
  if (!options_.validate_score) return {};
  SearchOptions greedy = parse_options();
  greedy.beam = 1;
  WorkOptions work;
  work.before_step = interrupt_check(*options_.communicator);
  std::vector<std::string> sentences;
  for (const Tree& tree : valid_trees_.trees) sentences.push_back(sentence_of(tree));
  const TreeParser parser(transformer(), tokenizer());
  const auto parse_lines = [&](const std::vector<std::string>& lines) {
    std::vector<std::string> trees;
    for (const Parse& parse : parser.parse(lines, greedy, work)) {
      KETTE_CHECK(parse.fault.empty(), "validation: ", parse.fault);
      trees.push_back(to_text(parse.tree));
    }
    return trees;
  };
  const std::string text =
      joined(options_.communicator->share_out("decoding", sentences, parse_lines), "\n");
  Treebank found = valid_trees_;
  found.trees = parse_trees(TextLines(text, "parsed"), "parsed").trees;
  ParseScoreOptions scoring;
  scoring.gold_punctuation = true;  // a comma with a wrong tag takes no sentence out of the score
  return Score{"valid_f1", "greedy F1", parse_score(valid_gold_, found, scoring).all.f1()};
}

std::string TreeTask::size_of_vocabulary() const {
  const TransformerConfig& config = transformer().config();
  return std::to_string(config.source_vocabulary) + " words and " +
         std::to_string(config.vocabulary) + " symbols";
}

std::string TreeTask::warnings() const {
  const TreeTokenizer::Shared tokenizer = tree_tokenizer();
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

}  // namespace kette
