// Learning from pairs of a source and a target: the common part of translation (train/translation_task.h) and parsing
// (train/tree_task.h). Batches by token count, label-smoothed loss of the next target token, and a score of the
// model's output for the validation sources (Vaswani et al. 2017, section 5).
#pragma once

#include <memory>
#include <optional>

#include "data/corpora/batch_sampler.h"
#include "train/starting_point.h"

namespace kette {

struct ParallelTrainOptions : TrainOptions {
  /// How often each of the texts is drawn, in any unit; empty: every pair once an epoch.
  std::vector<double> weights;
  /// An alternative to weights, as `stages` is: by size^(1 / temperature); 1: every pair once an epoch.
  double temperature = 1;
  /// A path for load_tokenizer(); empty: the tokenizer of `from`, or a new one.
  std::filesystem::path tokenizer;
  std::int64_t vocabulary = 10000;
  double bpe_dropout = 0;
  std::int64_t max_length = 256;  ///< training leaves out longer sentences, in tokens
  double max_ratio = 0;           ///< and pairs with a larger ratio of lengths; 0: off
  TransformerConfig model;        ///< replaced by that of `from`
  bool validate_score = true;     ///< whether to decode the validation sources greedily for a score

  /// Call it after check(). Throws an Error unless the options fit together and fit the number of texts. Takes the
  /// model's shape from `from`.
  void check_pairs(std::size_t texts);
};

/// Adds the options of pairs that a resume must keep, except the mixture. For other options see add_to_fingerprint().
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
  void save_base() const override { start_->save_description(options()); }
  std::string parameter_file() const override { return start_->parameter_file(); }

 protected:
  /// Constructors must call this last. It calls the functions below once each, in their order.
  void begin(RunFingerprint fingerprint);
  virtual const ParallelTrainOptions& options() const = 0;
  virtual SharedTokenizer make_tokenizer() const = 0;
  virtual ParallelCorpus read_validation(const FilterOptions& filters) = 0;
  virtual ParallelCorpus make_corpus(const TokenizeProgress& progress) const = 0;
  virtual TransformerConfig model_config() const;

  /// For the report: lines of warnings, each with a leading line break.
  virtual std::string warnings() const = 0;
  /// For the report: "37000".
  virtual std::string size_of_vocabulary() const;
  /// Saves facts about the texts in the model directory.
  virtual void save_facts() const {}

  const SharedTokenizer& tokenizer() const { return tokenizer_; }
  const Transformer& transformer() const { return *model_; }
  FilterOptions filters() const;
  /// In tokens, without </s> or <s>, which takes one of the model's positions.
  std::int64_t longest_sentence() const { return options().model.max_length - 1; }
  /// The file of a text's ids in the model directory, so that a resume need not tokenize again.
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
