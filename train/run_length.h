// The length of a run: it ends at the first of its limits.
#pragma once

#include <string>
#include <vector>

#include "train/trainer.h"

namespace kette {

/// How far a run is, in the units of its limits.
struct RunStanding {
  std::int64_t step = 0;
  std::int64_t epoch = 0, batch = 0, batches_in_epoch = 0;
  std::int64_t validations_since_best = 0;
  double seconds = 0;           ///< of training
  double seconds_per_step = 0;  ///< 0: not known
  double learning_rate = 0;     ///< of the last step; 0: not known
  /// The duration of the last validation, and the time since; 0: there was none.
  double validation_seconds = 0, seconds_since_validation = 0;
  std::int64_t stage = 0;
};

bool is_over(const TrainOptions& options, const RunStanding& at);
/// The share of the run that is done, from 0 to 1, by the nearest limit; 0 without a limit.
double share_of_run(const TrainOptions& options, const RunStanding& at);
/// The stage of the next step: the first whose end is not reached, but never an earlier one than now.
std::int64_t next_stage(const TrainOptions& options, const RunStanding& at);
/// Whether a validation is due after a step. By `validate_every` if it is set. Otherwise at the end of each epoch, and
/// after each tenth of the run if an epoch is longer than that. With a time limit, the latter take at most a tenth of
/// the time.
bool is_validation_due(const TrainOptions& options, const RunStanding& before,
                       const RunStanding& after);
/// Notes for people before the first step: where the run continues, that it is over, that it ends during warm-up or
/// before a stage begins, or that the learning rate jumps. width: the model's.
std::vector<std::string> notes_before(const TrainOptions& options, const RunStanding& at,
                                      std::int64_t width);
/// A line of JSON for the log: optimiser, schedule, limits and stages.
std::string schedule_json(const TrainOptions& options);
/// The number of steps until the first limit; infinite if it is not known.
double steps_left(const TrainOptions& options, const RunStanding& at);
/// The learning rate of the next step. The schedule is laid out for the run's length: a cosine ends with the run, and
/// the warm-up is at most warmup_share of it. width: the model's.
double next_learning_rate(const TrainOptions& options, const RunStanding& at, std::int64_t width);

}  // namespace kette
