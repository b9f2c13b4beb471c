// The tasks of `kette train` besides next-token prediction and translation. Each has a file for its own options, and a
// line here.
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

/// A task that learns from texts.
class TextTaskOptions {
 public:
  virtual ~TextTaskOptions() = default;

  virtual TextObjective objective() const = 0;  ///< the value of --objective that chooses it
  virtual const char* preset() const = 0;       ///< the default of --preset
  virtual std::string models() const = 0;  ///< the models that can learn it, for messages: "BERT"
  virtual bool takes(const ModelConfig& config) const = 0;
  virtual bool has_score() const = 0;
  /// Whether the default tokenizer has pieces, not characters.
  virtual bool makes_pieces() const = 0;

  /// Adds and returns the options that only this task has.
  virtual std::vector<Option> add_options(OptionGroup& group) = 0;
  /// set: sets the options of all tasks that learn from texts.
  virtual TrainRun run_of(const std::function<void(TextOptions&)>& set,
                          const ModelConfig& model) const = 0;
};

/// A task that learns from pairs.
class PairTaskOptions {
 public:
  using Choose = std::function<void(const char* preset)>;

  virtual ~PairTaskOptions() = default;

  // Names for messages.
  virtual std::string option() const = 0;  ///< "--trees", the option that chooses it
  virtual std::string model() const = 0;   ///< "a parser"
  virtual std::string score() const = 0;   ///< "F1"

  /// Adds and returns the options of its data, which only this task has. option() is one of them; it calls choose()
  /// with a preset.
  virtual std::vector<Option> add_data(OptionGroup& data, const Choose& choose) = 0;
  virtual bool is_chosen() const = 0;
  virtual std::size_t files() const = 0;  ///< the number of training files
  /// Throws a UsageError unless all files that it needs were given.
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
