// How long a run goes on: until the first of its limits is reached.
#pragma once

#include <string>
#include <vector>

#include "train/trainer.h"

namespace kette {

/// What the limits are measured in.
struct RunStanding {
  std::int64_t step = 0;
  std::int64_t epoch = 0, batch = 0, batches_in_epoch = 0;
  std::int64_t validations_since_best = 0;
  double seconds = 0;           ///< of training
  double seconds_per_step = 0;  ///< 0: there was none to tell by
  double learning_rate = 0;     ///< of the last step; 0: there was none, or it is not known
  /// That a validation takes, and since the last one; 0: there was none.
  double validation_seconds = 0, seconds_since_validation = 0;
  std::int64_t stage = 0;
};

bool is_over(const TrainOptions& options, const RunStanding& at);
/// How much of the run is done, from 0 to 1: by the limit that is nearest; without one 0.
double share_of_run(const TrainOptions& options, const RunStanding& at);
/// Which stage the next step is of: one whose end is not reached, and none before that which the run is in.
std::int64_t next_stage(const TrainOptions& options, const RunStanding& at);
/// Whether a validation is due after a step: where `validate_every` says so, and without it at the end of each epoch, and
/// after each tenth of a run whose epochs are longer than that. Of a run by the clock these take no more than a tenth.
bool is_validation_due(const TrainOptions& options, const RunStanding& before,
                       const RunStanding& after);
/// For people, before the first step: where the run goes on, that nothing is left of it, that it ends before its peak or
/// before a stage of it, or that the learning rate jumps. width: the model's.
std::vector<std::string> notes_before(const TrainOptions& options, const RunStanding& at,
                                      std::int64_t width);
/// For the log: the optimiser, the schedule, the limits that it is laid out by, and the stages, as a line of JSON.
std::string schedule_json(const TrainOptions& options);
/// Until the first limit; infinite while none is in sight.
double steps_left(const TrainOptions& options, const RunStanding& at);
/// Of the step that comes next. A cosine ends with the run, and a warm-up is short beside it. width: the model's.
double next_learning_rate(const TrainOptions& options, const RunStanding& at, std::int64_t width);

}  // namespace kette
