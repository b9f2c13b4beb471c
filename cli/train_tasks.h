// What `kette train` learns beside the next token of texts and translation. A task is a file of its own, which has the
// options that no other takes, and a line here.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/train_run.h"
#include "train/parallel_task.h"
#include "train/text_corpus.h"

namespace kette::cli {

/// From texts.
class TextTaskOptions {
 public:
  virtual ~TextTaskOptions() = default;

  virtual TextObjective objective() const = 0;  ///< what chooses it
  virtual const char* preset() const = 0;       ///< without --preset
  virtual std::string models() const = 0;       ///< "BERT", in messages: those that can learn it
  virtual bool takes(const ModelConfig& config) const = 0;
  virtual bool has_score() const = 0;
  /// Whether the vocabulary that is made where nothing asks for one is of pieces, not of characters.
  virtual bool makes_pieces() const = 0;

  /// All of them are its alone.
  virtual std::vector<Option> add_options(OptionGroup& group) = 0;
  /// set: for what all that learn from texts are told.
  virtual TrainRun run_of(const std::function<void(TextOptions&)>& set,
                          const ModelConfig& model) const = 0;
};

/// From pairs.
class PairTaskOptions {
 public:
  using Choose = std::function<void(const char* preset)>;

  virtual ~PairTaskOptions() = default;

  // What messages call it.
  virtual std::string option() const = 0;  ///< "--trees", what chooses it
  virtual std::string model() const = 0;   ///< "a parser"
  virtual std::string score() const = 0;   ///< "F1"

  /// What it learns from, option() among it, which tells `choose` of a preset. All of them are its alone.
  virtual std::vector<Option> add_data(OptionGroup& data, const Choose& choose) = 0;
  virtual bool is_chosen() const = 0;
  virtual std::size_t files() const = 0;  ///< to learn from
  /// Throws a UsageError unless there are all that it needs.
  virtual void check_files() const = 0;
  virtual TrainRun run_of(const ParallelTrainOptions& options) const = 0;
};

std::unique_ptr<TextTaskOptions> masked_options();
std::unique_ptr<PairTaskOptions> tree_options();

// In the order of --help.
inline std::vector<std::unique_ptr<TextTaskOptions>> text_tasks() {
  std::vector<std::unique_ptr<TextTaskOptions>> tasks;
  for (const auto& make : {masked_options}) tasks.push_back(make());
  return tasks;
}
inline std::vector<std::unique_ptr<PairTaskOptions>> pair_tasks() {
  std::vector<std::unique_ptr<PairTaskOptions>> tasks;
  for (const auto& make : {tree_options}) tasks.push_back(make());
  return tasks;
}

}  // namespace kette::cli
