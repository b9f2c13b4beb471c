// Learning from pairs, whatever their sides are: batches by token count, the label-smoothed loss of the next target
// tokens, and a score of what the model writes for the validation's sources (Vaswani et al. 2017, section 5). What
// translation (train/translation_task.h) and parsing (train/tree_task.h) have in common.
#pragma once

#include <memory>
#include <optional>

#include "data/corpora/batch_sampler.h"
#include "train/starting_point.h"

namespace kette {

struct ParallelTrainOptions : TrainOptions {
  /// How often each of the texts is drawn, in any unit; empty: every pair once an epoch.
  std::vector<double> weights;
  /// Instead, as are `stages`: by size^(1 / temperature); 1: every pair once an epoch.
  double temperature = 1;
  /// What load_tokenizer() takes; empty: that of `from`, or make one.
  std::filesystem::path tokenizer;
  std::int64_t vocabulary = 10000;
  double bpe_dropout = 0;
  std::int64_t max_length = 256;  ///< longer sentences, in tokens, are left out of training
  double max_ratio = 0;           ///< likewise more unequal pairs; 0: off
  TransformerConfig model;        ///< without `from`, which has its own
  bool validate_score = true;     ///< write the validation's targets (greedily), and score them

  /// After check(). Throws an Error where these do not go together, of so many texts; takes the shape of `from`.
  void check_pairs(std::size_t texts);
};

/// What of them, but for the mixture, must stay on a resume; the rest is add_to_fingerprint()'s.
void add_of_pairs(const ParallelTrainOptions& options, RunFingerprint& fingerprint);

class ParallelTask : public Task {
 public:
  const Model& model() const override { return *model_; }
  ParamStore& parameters() override { return start_->parameters(); }
  const RunFolder& folder() const override { return *folder_; }
  Sampler& sampler() override { return *sampler_; }
  const std::vector<Batch>& validation_batches() const override { return valid_batches_; }
  double validation_loss() override;
  std::string report() const override;
  void save_description() const override;
  std::string parameter_file() const override { return start_->parameter_file(); }

 protected:
  /// What constructors end with, once all that the functions below need is there: calls each of them once, in their
  /// order.
  void begin(RunFingerprint fingerprint);
  virtual const ParallelTrainOptions& options() const = 0;
  virtual SharedTokenizer make_tokenizer() const = 0;
  virtual ParallelCorpus read_validation(const FilterOptions& filters) = 0;
  virtual ParallelCorpus make_corpus(const TokenizeProgress& progress) const = 0;
  virtual TransformerConfig model_config() const;

  /// Of the report: lines about what is odd, each after a line's end, and "37000" or what else there is.
  virtual std::string warnings() const = 0;
  virtual std::string size_of_vocabulary() const;
  /// What the model directory has of the texts.
  virtual void save_facts() const {}

  const SharedTokenizer& tokenizer() const { return tokenizer_; }
  const Transformer& transformer() const { return *model_; }
  FilterOptions filters() const;
  /// In tokens: the end mark, or <s>, takes one of the model's positions.
  std::int64_t longest_sentence() const { return options().model.max_length - 1; }
  /// In the model directory: a text as ids, so that a resume need not make them again.
  std::filesystem::path pairs_file(std::size_t text) const;

 private:
  std::optional<RunFolder> folder_;
  SharedTokenizer tokenizer_;
  std::optional<ParallelCorpus> valid_, corpus_;
  std::vector<Batch> valid_batches_;
  std::optional<BatchSampler> sampler_;
  std::unique_ptr<Transformer> model_;
  std::optional<StartingPoint> start_;
};

}  // namespace kette
