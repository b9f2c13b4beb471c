// Training: gradient accumulation, optimiser, schedule, validation, checkpoints, and a resume that continues
// bit for bit. TrainOptions set the run; a Task defines what it learns.
#pragma once

#include <limits>

#include "train/task.h"
#include "train/train_options.h"

namespace kette {

struct TrainResult {
  std::int64_t steps = 0, epochs = 0;
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  /// Smoothed loss per token, mean over the last 100 steps; NaN without a step.
  double train_loss = kNone;
  ValidationResult last;           ///< of the last validation
  double best_valid_loss = kNone;  ///< of the best model (TrainOptions::best_by)
  ValidationResult average;        ///< of the mean of the last checkpoints, if one was asked for
  bool is_average_best = false;    ///< whether that mean became the model
  double seconds = 0;
  double source_tokens_per_second = 0, target_tokens_per_second = 0;
  int interrupted = 0;  ///< the signal that stopped the run (train/interrupt.h), or 0
};

/// Trains (or resumes) and writes a model directory. Text for people goes to stderr.
TrainResult train(const TrainOptions& options, Task& task);

}  // namespace kette
