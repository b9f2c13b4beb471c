// Options for the optimiser and its settings. Refuses settings that the chosen optimiser does not have.
#pragma once

#include <vector>

#include "cli/options.h"
#include "train/train_options.h"

namespace kette::cli {

class OptimizerOption {
 public:
  /// Call it before the option of the learning rate is added, so that a given rate overrides that of another optimiser.
  void add(OptionGroup& group, TrainOptions& options);
  /// The settings that the chosen optimiser does not have.
  std::vector<Option> foreign() const;
  /// Throws a UsageError if a foreign() setting was given.
  void check() const;

 private:
  const TrainOptions* train_ = nullptr;
  std::vector<Option> settings_;  // in the order of optimizer_settings()
};

}  // namespace kette::cli
