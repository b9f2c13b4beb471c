// What `kette train` learns from pairs beside translation, by options that no other task has. A new task is a file of its
// own, and a line here.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/train_run.h"
#include "train/parallel_task.h"

namespace kette::cli {

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

std::unique_ptr<PairTaskOptions> tree_options();

/// In the order of --help.
inline std::vector<std::unique_ptr<PairTaskOptions>> pair_tasks() {
  std::vector<std::unique_ptr<PairTaskOptions>> tasks;
  for (const auto& make : {tree_options}) tasks.push_back(make());
  return tasks;
}

}  // namespace kette::cli
