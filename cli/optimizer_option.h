// Which optimiser trains, and its settings: those that it does not have are refused.
#pragma once

#include <vector>

#include "cli/options.h"
#include "train/train_options.h"

namespace kette::cli {

class OptimizerOption {
 public:
  /// Before the option of the learning rate, which another optimiser changes unless that is given.
  void add(OptionGroup& group, TrainOptions& options);
  /// The settings that the chosen one does not have.
  std::vector<Option> foreign() const;
  /// Throws a UsageError if one of those was given.
  void check() const;

 private:
  const TrainOptions* train_ = nullptr;
  std::vector<Option> settings_;  // in the order of optimizer_settings()
};

}  // namespace kette::cli
