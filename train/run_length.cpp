#include "train/run_length.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>
#include <sstream>

#include "data/files/json_text.h"

namespace kette {

bool is_over(const TrainOptions& options, const RunStanding& at) {
  return (options.steps > 0 && at.step >= options.steps) ||
         (options.epochs > 0 && at.epoch >= options.epochs) ||
         (options.minutes > 0 && at.seconds >= options.minutes * 60) ||
         (options.patience > 0 && at.validations_since_best >= options.patience);
}

double share_of_run(const TrainOptions& options, const RunStanding& at) {
  double share = 0;
  const auto at_least = [&](double done, double all) {
    if (all > 0) share = std::max(share, std::min(1.0, done / all));
  };
  at_least(static_cast<double>(at.step), static_cast<double>(options.steps));
  at_least(at.seconds, options.minutes * 60);
  const double batches = static_cast<double>(std::max<std::int64_t>(1, at.batches_in_epoch));
  at_least(static_cast<double>(at.epoch) * batches + static_cast<double>(at.batch),
           static_cast<double>(options.epochs) * batches);
  return share;
}

std::int64_t next_stage(const TrainOptions& options, const RunStanding& at) {
  const double batches = static_cast<double>(std::max<std::int64_t>(1, at.batches_in_epoch)),
               epochs = static_cast<double>(at.epoch) + static_cast<double>(at.batch) / batches;
  const RunDone done{share_of_run(options, at), static_cast<double>(at.step), epochs,
                     at.seconds / 60};
  return std::max(at.stage, options.stages.at(done));
}

bool is_validation_due(const TrainOptions& options, const RunStanding& before,
                       const RunStanding& after) {
  if (options.validate_every > 0) return after.step % options.validate_every == 0;
  if (after.epoch > before.epoch) return true;
  constexpr double kParts = 10;
  if (options.minutes > 0 &&
      after.seconds_since_validation < (kParts - 1) * after.validation_seconds) {
    return false;
  }
  const double steps = static_cast<double>(after.step) + steps_left(options, after),
               epoch = static_cast<double>(after.batches_in_epoch) /
                       static_cast<double>(options.accumulate);
  return epoch * kParts > steps && std::floor(kParts * share_of_run(options, after)) >
                                       std::floor(kParts * share_of_run(options, before));
}

namespace {

/// Of the stages that a run's limits, in their own units, leave no time for.
std::vector<std::string> notes_of_stages(const TrainOptions& options) {
  const RunDone end{1, static_cast<double>(options.steps), static_cast<double>(options.epochs),
                    options.minutes};
  std::vector<std::string> notes;
  for (std::int64_t i = 0; i + 1 < options.stages.size(); ++i) {
    const Stage& stage = options.stages[i];
    if (end.in(stage.unit) > 0 && stage.until >= end.in(stage.unit)) {
      notes.push_back("stage " + std::to_string(i + 2) + " begins after " + stage.end() +
                      ", and the run ends before that");
    }
  }
  return notes;
}

/// What to do about the limit that has ended the run.
std::string what_goes_on(const TrainOptions& options, const RunStanding& at) {
  TrainOptions without_patience = options;
  without_patience.patience = 0;
  if (is_over(without_patience, at)) return "more --steps, --epochs or --minutes go on";
  const std::string validations = std::to_string(at.validations_since_best);
  return validations + " validation" + (at.validations_since_best == 1 ? "" : "s") +
         " without a better one; a greater --patience goes on";
}

/// With what the limits say of the run's length.
ScheduleOptions laid_out(const TrainOptions& options, const RunStanding& at, std::int64_t width) {
  ScheduleOptions schedule = options.schedule;
  schedule.width = width;
  const double left = steps_left(options, at);
  if (std::isfinite(left)) schedule.total_steps = at.step + std::llround(std::ceil(left));
  return schedule;
}

}  // namespace

std::vector<std::string> notes_before(const TrainOptions& options, const RunStanding& at,
                                      std::int64_t width) {
  std::vector<std::string> notes;
  const std::string step = std::to_string(at.step);
  if (is_over(options, at)) {
    return {"nothing is left to train after step " + step + " (" + what_goes_on(options, at) + ")"};
  }
  if (at.step > 0) notes.push_back("goes on after step " + step);
  for (const std::string& note : notes_of_stages(options)) notes.push_back(note);
  const ScheduleOptions schedule = laid_out(options, at, width);
  const std::int64_t total = schedule.total_steps;
  if (total > 0 && warmup_steps(schedule) > static_cast<double>(total)) {
    const bool is_measured = options.minutes > 0 && total != options.steps;
    notes.push_back("the learning rate rises for " + std::to_string(options.schedule.warmup) +
                    " steps, and there are " + (is_measured ? "about " : "") +
                    std::to_string(total) + " (--warmup)");
  }
  if (at.step > 0 && at.learning_rate > 0) {
    const auto jumps_to = [&](double rate) {
      constexpr double kJump = 0.05;
      return std::abs(rate - at.learning_rate) > kJump * at.learning_rate;
    };
    const double next = learning_rate(schedule, at.step + 1);
    // In a steep warm-up two steps differ as much without a jump.
    if (jumps_to(learning_rate(schedule, at.step)) && jumps_to(next)) {
      std::ostringstream text;
      text << "the learning rate was " << std::setprecision(3) << at.learning_rate
           << " and goes on at " << next
           << ", for the run is longer or shorter than it was laid out for";
      notes.push_back(text.str());
    }
  }
  return notes;
}

std::string schedule_json(const TrainOptions& options) {
  const ScheduleOptions& schedule = options.schedule;
  Json json = {{"kind", enum_name(schedule.kind)}, {"lr", schedule.lr},
               {"warmup", schedule.warmup},        {"warmup_share", schedule.warmup_share},
               {"steps", options.steps},           {"epochs", options.epochs},
               {"minutes", options.minutes}};
  for (std::int64_t stage = 0; stage < options.stages.size(); ++stage) {
    json["stages"].push_back(options.stages[stage].str());
  }
  Json optimizer = {{"kind", enum_name(options.optimizer.kind)}};
  for (const OptimizerSetting& setting : optimizer_settings()) {
    if (setting.is_of(options.optimizer.kind)) {
      optimizer[setting.name] = options.optimizer.*setting.value;
    }
  }
  return Json{{"step", 0}, {"optimizer", optimizer}, {"schedule", json}}.dump();
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
  return learning_rate(laid_out(options, at, width), at.step + 1);
}

}  // namespace kette
