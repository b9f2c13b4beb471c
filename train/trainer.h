// Training: accumulation, an optimiser, a schedule, validation, checkpoints, and a resume that continues
// bit for bit. Everything a run needs stands in its options; what it learns is a Task.
#pragma once

#include <limits>

#include "train/task.h"
#include "train/train_options.h"

namespace kette {

struct TrainResult {
  std::int64_t steps = 0, epochs = 0;
  /// Mean over the last 100 steps, per token, with smoothing; NaN without a step.
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  double train_loss = kNone;
  ValidationResult last;           ///< of the last validation
  double best_valid_loss = kNone;  ///< of the best model (TrainOptions::best_by)
  ValidationResult average;        ///< of the mean of the last checkpoints, if one was asked for
  bool is_average_best = false;    ///< and became the model
  double seconds = 0;
  double source_tokens_per_second = 0, target_tokens_per_second = 0;
  int interrupted = 0;  ///< by this signal (train/interrupt.h); resumable
};

/// Trains (or resumes) and leaves a model directory. Text for people goes to stderr.
TrainResult train(const TrainOptions& options, Task& task);

}  // namespace kette
