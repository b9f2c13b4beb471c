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
};

bool is_over(const TrainOptions& options, const RunStanding& at);
/// For people, before the first step: where the run goes on, that nothing is left of it, or that it ends before its peak.
std::vector<std::string> notes_before(const TrainOptions& options, const RunStanding& at);
/// Until the first limit; infinite while none is in sight.
double steps_left(const TrainOptions& options, const RunStanding& at);
/// Of the step that comes next; a cosine ends with the run. width: the model's.
double next_learning_rate(const TrainOptions& options, const RunStanding& at, std::int64_t width);

}  // namespace kette
