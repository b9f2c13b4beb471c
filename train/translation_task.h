// Learning to translate from sentence pairs (train/parallel_task.h). The validation score is BLEU or another metric.
#pragma once

#include "data/corpora/text_facts.h"
#include "data/metrics/metrics.h"
#include "data/metrics/score_tokenizers.h"
#include "train/parallel_task.h"

namespace kette {

struct TranslationTrainOptions : ParallelTrainOptions {
  std::vector<ParallelText> texts;  ///< one, or several that are mixed
  /// Also learns to translate targets to sources (Gao et al. 2022, section 3.4).
  bool both_directions = false;
  std::filesystem::path valid_source, valid_target;
  std::int64_t join_lines = 1;  ///< the number of consecutive lines joined into one pair
  ScoreTokenizer bleu_tokenize = ScoreTokenizer::v13a;

  /// The metric of the validation score.
  std::string scored_by() const { return is_by_metric(best_by) ? best_by : "bleu"; }
  bool is_prepared() const { return !texts.empty() && texts.front().is_prepared(); }
  /// Takes the model's shape from `from`. Throws an Error unless the options fit together.
  TranslationTrainOptions checked() &&;
};

RunFingerprint fingerprint_of(const TranslationTrainOptions& options);

class TranslationTask final : public ParallelTask {
 public:
  explicit TranslationTask(TranslationTrainOptions options);

  std::optional<Score> validation_score() override;
  std::int64_t source_tags() const override;

 private:
  const ParallelTrainOptions& options() const override { return options_; }
  SharedTokenizer make_tokenizer() const override;
  ParallelCorpus read_validation(const FilterOptions& filters) override;
  ParallelCorpus make_corpus(const TokenizeProgress& progress) const override;
  std::string warnings() const override {
    return odd_text() + unknown_facts() + score_text() + unknown_characters();
  }
  void save_facts() const override;
  /// Warnings about odd training text, odd validation text, and characters outside the vocabulary; usually empty.
  std::string odd_text() const;
  /// That prepared texts do not tell what they are like; usually empty.
  std::string unknown_facts() const;
  std::string score_text() const;
  std::string unknown_characters() const;
  Metric validation_metric() const;
  FilterOptions text_filters() const;

  TranslationTrainOptions options_;
  TextLines valid_source_, valid_target_;
};

inline TrainResult train(const TranslationTrainOptions& options) {
  TranslationTask task(options);
  return train(options, task);
}

}  // namespace kette
