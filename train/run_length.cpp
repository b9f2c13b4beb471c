#include "train/run_length.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kette {

bool is_over(const TrainOptions& options, const RunStanding& at) {
  return (options.steps > 0 && at.step >= options.steps) ||
         (options.epochs > 0 && at.epoch >= options.epochs) ||
         (options.minutes > 0 && at.seconds >= options.minutes * 60) ||
         (options.patience > 0 && at.validations_since_best >= options.patience);
}

std::vector<std::string> notes_before(const TrainOptions& options, const RunStanding& at) {
  std::vector<std::string> notes;
  const std::string step = std::to_string(at.step);
  const bool is_done = is_over(options, at);
  if (is_done) {
    notes.push_back("nothing is left to train after step " + step +
                    " (more --steps, --epochs or --minutes go on)");
  } else if (at.step > 0) {
    notes.push_back("goes on after step " + step);
  }
  const std::int64_t warmup = options.schedule.warmup;
  if (!is_done && options.steps > 0 && warmup > options.steps) {
    notes.push_back("the learning rate rises for " + std::to_string(warmup) +
                    " steps, and there are " + std::to_string(options.steps) + " (--warmup)");
  }
  return notes;
}

double steps_left(const TrainOptions& options, const RunStanding& at) {
  double left = std::numeric_limits<double>::infinity();
  const auto at_most = [&](double steps) { left = std::min(left, std::max(0.0, steps)); };
  if (options.steps > 0) at_most(static_cast<double>(options.steps - at.step));
  if (options.epochs > 0) {
    const std::int64_t batches = (options.epochs - at.epoch) * at.batches_in_epoch - at.batch;
    at_most(static_cast<double>(batches) / static_cast<double>(options.accumulate));
  }
  if (options.minutes > 0 && at.seconds_per_step > 0) {
    at_most((options.minutes * 60 - at.seconds) / at.seconds_per_step);
  }
  return left;
}

double next_learning_rate(const TrainOptions& options, const RunStanding& at, std::int64_t width) {
  ScheduleOptions schedule = options.schedule;
  schedule.width = width;
  const double left = steps_left(options, at);
  if (std::isfinite(left)) schedule.total_steps = at.step + std::llround(std::ceil(left));
  return learning_rate(schedule, at.step + 1);
}

}  // namespace kette
