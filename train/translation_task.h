// Learning to translate from parallel text: batches of sentence pairs by token count, the
// label-smoothed loss of the next target tokens, and BLEU, or another metric, of the validation text (Vaswani et al.
// 2017, section 5). Parsing is a translation, too, of words to trees (section 6.3): the pairs come from
// files of trees, and the validation's score is F1 of labelled brackets.
#pragma once

#include "data/corpora/batch_sampler.h"
#include "data/corpora/text_facts.h"
#include "data/metrics/metrics.h"
#include "data/metrics/score_tokenizers.h"
#include "data/trees/tree.h"
#include "train/starting_point.h"

namespace kette {

struct TranslationTrainOptions : TrainOptions {
  std::vector<ParallelText> texts;  ///< one, or several that are mixed; all of trees, or none
  /// How often each of them is drawn, in any unit; empty: every pair once an epoch.
  std::vector<double> weights;
  /// Instead, as are `stages`: by size^(1 / temperature); 1: every pair once an epoch.
  double temperature = 1;
  /// Learn also to translate the targets to the sources (Gao et al. 2022, section 3.4).
  bool both_directions = false;
  std::filesystem::path valid_source, valid_target;  ///< with trees only valid_source, trees, too
  /// What load_tokenizer() takes; empty: that of `from`, or train one.
  std::filesystem::path tokenizer;
  std::int64_t vocabulary = 10000;
  double bpe_dropout = 0;
  std::int64_t max_length = 256;  ///< longer sentences, in tokens, are left out of training
  double max_ratio = 0;           ///< likewise more unequal pairs; 0: off
  std::int64_t join_lines = 1;    ///< so many lines that follow each other are learnt together
  TransformerConfig model;        ///< without `from`, which has its own
  bool validate_bleu = true;      ///< translate, or parse, the validation set too (greedily)
  ScoreTokenizer bleu_tokenize = ScoreTokenizer::v13a;

  /// The metric of the validation's translations.
  std::string scored_by() const { return is_by_metric(best_by) ? best_by : "bleu"; }
  bool parses() const { return !texts.empty() && texts.front().is_trees(); }
  bool is_prepared() const { return !texts.empty() && texts.front().is_prepared(); }
  /// These, with the shape of `from`. Throws an Error where they do not go together.
  TranslationTrainOptions checked() &&;
};

RunFingerprint fingerprint_of(const TranslationTrainOptions& options);

class TranslationTask final : public Task {
 public:
  explicit TranslationTask(TranslationTrainOptions options);

  const Model& model() const override { return model_; }
  ParamStore& parameters() override { return start_.parameters(); }
  const RunFolder& folder() const override { return folder_; }
  Sampler& sampler() override { return sampler_; }
  const std::vector<Batch>& validation_batches() const override { return valid_batches_; }
  double validation_loss() override {
    return validate(model_, valid_batches_, *options_.communicator).loss;
  }
  std::optional<Score> validation_score() override;
  std::int64_t source_tags() const override;
  std::string report() const override;
  void save_description() const override;
  std::string parameter_file() const override { return start_.parameter_file(); }

 private:
  SharedTokenizer make_tokenizer() const;
  SharedTokenizer tokenizer_for_trees() const;
  /// Lines about pairs of the validation that are left out, text that is odd, to learn from and to score by, characters
  /// that the vocabulary has not, and labels that the validation alone has; mostly empty.
  std::string dropped_validation() const;
  std::string odd_text() const;
  std::string score_text() const;
  std::string unknown_characters() const;
  std::string strange_labels() const;
  Metric validation_metric() const;
  Score score_of_validation() const;
  Score f1_of_validation() const;
  ParallelCorpus make_validation() const;
  std::vector<Batch> plan_validation() const;
  FilterOptions filters() const;
  ParallelCorpus make_corpus() const;
  BatchOptions batch_options() const;
  /// In tokens: the end mark, or <s>, takes one of the model's positions.
  std::int64_t longest_sentence() const { return options_.model.max_length - 1; }

  TranslationTrainOptions options_;
  RunFolder folder_;
  SharedTokenizer tokenizer_;
  TextLines valid_source_, valid_target_;
  Treebank valid_gold_, valid_trees_;  // as they were read, for the score, and cleaned
  ParallelCorpus valid_;
  std::vector<Batch> valid_batches_;
  ParallelCorpus corpus_;
  BatchSampler sampler_;
  Transformer model_;
  StartingPoint start_;
};

inline TrainResult train(const TranslationTrainOptions& options) {
  TranslationTask task(options);
  return train(options, task);
}

}  // namespace kette
