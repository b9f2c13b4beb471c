// Learning to parse: translates words to the symbols of a tree (Vaswani et al. 2017, section 6.3). The pairs come from
// files of trees (data/corpora/tree_pairs.h). The validation score is F1 of labelled brackets.
#pragma once

#include "data/tokenizers/tree_tokenizer.h"
#include "data/trees/tree.h"
#include "train/parallel_task.h"

namespace kette {

struct TreeTrainOptions : ParallelTrainOptions {
  std::vector<std::filesystem::path> trees;  ///< one file, or several that are mixed
  std::filesystem::path valid_trees;

  /// Takes the model's shape from `from`. Throws an Error unless the options fit together.
  TreeTrainOptions checked() &&;
};

RunFingerprint fingerprint_of(const TreeTrainOptions& options);

class TreeTask final : public ParallelTask {
 public:
  explicit TreeTask(TreeTrainOptions options);

  std::optional<Score> validation_score() override;

 private:
  const ParallelTrainOptions& options() const override { return options_; }
  SharedTokenizer make_tokenizer() const override;
  TreeTokenizer::Shared tokenizer_for(const std::vector<Treebank>& banks) const;
  ParallelCorpus read_validation(const FilterOptions& filters) override;
  ParallelCorpus make_corpus(const TokenizeProgress& progress) const override;
  TransformerConfig model_config() const override;
  /// Labels that only the validation trees have.
  std::string warnings() const override;
  std::string size_of_vocabulary() const override;
  TreeTokenizer::Shared tree_tokenizer() const;

  TreeTrainOptions options_;
  Treebank valid_gold_, valid_trees_;  // as read, for the score; and cleaned
};

inline TrainResult train(const TreeTrainOptions& options) {
  TreeTask task(options);
  return train(options, task);
}

}  // namespace kette
