#include "train/trainer.h"

#include <cmath>

#include "autograd/anomaly.h"
#include "data/files/atomic_file.h"
#include "data/files/json_text.h"
#include "data/files/safetensors.h"
#include "models/adapter_directory.h"
#include "models/average.h"
#include "tensor/stopwatch.h"
#include "train/interrupt.h"
#include "train/moving_average.h"
#include "train/progress.h"
#include "train/rehearsal.h"
#include "train/run_length.h"
#include "train/run_models.h"
#include "train/verdict.h"

namespace kette {
namespace {

class Trainer {
 public:
  Trainer(const TrainOptions& options, Task& task);
  TrainResult run();

 private:
  void start();
  void resume();
  void save_state();
  void expect_finite() const;
  /// due: by the schedule, and not for it is the end.
  void validate(Progress& progress, bool due);
  /// Saves what is validated, and says how it is.
  void judge(Progress& progress, bool due);
  /// Validates the mean of the last checkpoints, which becomes the model if it is the best one.
  void average_last(Progress& progress);
  void make_average(const std::vector<std::filesystem::path>& files);
  bool is_average_best() const;
  /// Of the last validation, here or before a resume.
  Verdict last_verdict() const;
  void say_what_changed(Progress& progress) const;
  void say_what_is_ahead(Progress& progress);
  double seconds_trained() const { return earlier_seconds_ + since_start_.seconds(); }
  double seconds_per_step() const;
  /// Before the first step, where the run's end goes by the clock.
  double expected_seconds_per_step();
  RunStanding standing() const;
  std::optional<StartedStep> start_step(double lr);
  /// Reports the step that was started last, once it is done.
  void settle(Progress& progress);
  /// Tells the observers of step number `step`.
  using Notice = void (TrainObserver::*)(Task& task, std::int64_t step);
  void tell(Progress& progress, Notice notice, std::int64_t step);

  /// A step whose loss has not been read yet.
  struct InFlight {
    StartedStep step;
    std::int64_t number, epoch;
    double lr, seconds;
  };

  const TrainOptions& options_;
  Task& task_;
  RunModels models_;
  std::optional<Batch> ahead_;  // the first of the next step
  std::int64_t batches_in_epoch_ =
      0;  // of the one that state_.sampler is in, which ahead_ may have left
  Adam adam_;
  std::optional<MovingAverage> average_;
  TrainingState state_;
  std::optional<InFlight> in_flight_;
  TrainResult result_;
  Stopwatch since_start_, since_save_, since_validation_;
  double validation_seconds_ = 0, earlier_seconds_ = 0;
  std::int64_t steps_here_ = 0, saved_step_ = 0;
};

Trainer::Trainer(const TrainOptions& options, Task& task)
    : options_(options),
      task_(task),
      models_(options, task.parameter_file()),
      adam_(task.parameters(), options.adam) {
  if (options.ema > 0) average_.emplace(adam_.parameters(), options.ema);
  task_.folder().resumes() ? resume() : start();
  batches_in_epoch_ = task_.sampler().batches_in_epoch();
  if (!options_.configuration.empty()) {
    write_file_atomically(options_.out / "config.toml", options_.configuration);
  }
}

/// The state comes first: until there is one, a folder is not known to be this run's.
void Trainer::start() {
  state_.fingerprint = task_.folder().fingerprint();
  state_.run = state_.fingerprint.id();
  save_state();
  // What a start left that was killed before its first save.
  models_.remove_later_than(state_.step);
  remove_adapters(options_.out);
  task_.save_description();
  models_.identify(state_.run);
  models_.save_model(adam_.parameters(), {{"step", "0"}});
}

void Trainer::resume() {
  state_ = load_training_state(task_.folder().state_file(), adam_.parameters(), adam_,
                               average_ ? average_->values() : Tensor());
  saved_step_ = state_.step;
  models_.identify(state_.run);
  state_.fingerprint = task_.folder().fingerprint();
  // Places in an epoch of other data mean nothing, nor do losses on them.
  const std::vector<RunFingerprint::Data>& changed = task_.folder().changed_data();
  for (const RunFingerprint::Data& data : changed) {
    if (!data.is_for_validation()) state_.sampler.position = 0;
  }
  if (!changed.empty()) {
    state_.best_valid_loss.reset();
    state_.best_cost.reset();
    state_.best_due_cost.reset();
    state_.validations_since_best = 0;
  }
  task_.sampler().restore(state_.sampler);
  models_.remove_later_than(state_.step);
}

void Trainer::expect_finite() const {
  const ParamStore& store = adam_.parameters();
  for (const Tensor* values : {&store.values(), &adam_.first_moment(), &adam_.second_moment()}) {
    const std::optional<std::string> bad = store.find_non_finite(*values);
    KETTE_CHECK(!bad, "train: expected finite parameters and moments at step ", state_.step,
                ", given ", *bad, "; nothing of them was kept, and --resume goes on from step ",
                saved_step_, kDivergenceAdvice);
  }
}

void Trainer::save_state() {
  expect_finite();
  save_training_state(task_.folder().state_file(), state_, adam_.parameters(), adam_,
                      average_ ? average_->values() : Tensor());
  saved_step_ = state_.step;
  since_save_.restart();
}

double Trainer::expected_seconds_per_step() {
  if (!ahead_) ahead_ = task_.sampler().next();
  const auto seconds = [&] {
    return seconds_of_passes(task_.model(), adam_.parameters(), *ahead_);
  };
  seconds();  // gets the memory
  return static_cast<double>(options_.accumulate) * seconds();
}

std::optional<StartedStep> Trainer::start_step(double lr) {
  if (!ahead_) ahead_ = task_.sampler().next();
  std::int64_t left = options_.accumulate;
  StepBatches batches;
  batches.target_tokens = ahead_->target_segments.rows() + task_.sampler().target_tokens(left - 1);
  batches.next = [&]() -> std::optional<Batch> {
    // A step of many batches takes long; the first of it is taken whatever was asked for.
    const bool stops = left < options_.accumulate && InterruptGuard::requested() != 0;
    if (left == 0 || stops) return std::nullopt;
    --left;
    return ahead_ ? std::exchange(ahead_, std::nullopt) : task_.sampler().next();
  };
  ConsistencyOptions consistency = options_.consistency;
  consistency.source_tags = task_.source_tags();
  std::optional<StartedStep> step = kette::start_step(task_.model(), adam_, batches,
                                                      {.lr = lr,
                                                       .label_smoothing = options_.label_smoothing,
                                                       .clip_norm = options_.clip_norm,
                                                       .seed = options_.seed,
                                                       .consistency = consistency});
  if (!step) return std::nullopt;
  state_.sampler = task_.sampler().state();
  batches_in_epoch_ = task_.sampler().batches_in_epoch();
  ahead_ = task_.sampler().next();  // while a GPU is at work
  return step;
}

void Trainer::settle(Progress& progress) {
  if (!in_flight_) return;
  InFlight flight = std::move(*std::exchange(in_flight_, std::nullopt));
  const double left = steps_left(options_, standing()) * seconds_per_step();
  progress.step(flight.number, flight.epoch, flight.lr, flight.step.finish(), flight.seconds,
                std::isfinite(left) ? left : 0);
}

void Trainer::tell(Progress& progress, Notice notice, std::int64_t step) {
  if (options_.observers.empty()) return;
  progress.pause();
  for (TrainObserver* observer : options_.observers) (observer->*notice)(task_, step);
  progress.go_on();
}

double Trainer::seconds_per_step() const {
  if (steps_here_ > 0) return since_start_.seconds() / static_cast<double>(steps_here_);
  return state_.step > 0 ? state_.seconds / static_cast<double>(state_.step) : 0;
}

RunStanding Trainer::standing() const {
  return {state_.step,
          state_.sampler.epoch,
          state_.sampler.position,
          batches_in_epoch_,
          state_.validations_since_best,
          seconds_trained(),
          seconds_per_step(),
          state_.learning_rate,
          validation_seconds_,
          since_validation_.seconds()};
}

void Trainer::validate(Progress& progress, bool due) {
  progress.pause();
  expect_finite();
  const Stopwatch watch;
  {
    std::optional<MovingAverage::Shown> shown;
    if (average_) shown.emplace(*average_);
    judge(progress, due);
  }
  validation_seconds_ = watch.seconds();
  since_validation_.restart();
  save_state();
  progress.go_on();
}

void Trainer::judge(Progress& progress, bool due) {
  const double loss = task_.validation_loss();
  KETTE_CHECK(std::isfinite(loss), "train: expected a finite validation loss at step ", state_.step,
              ", given ", loss, "; no model was replaced, and --resume goes on from step ",
              saved_step_, kDivergenceAdvice);
  result_.last = {loss, task_.validation_score()};
  const double cost = result_.last.cost(options_.best_by);
  const bool best = !state_.best_cost || cost < *state_.best_cost;
  Metadata metadata = {{"step", std::to_string(state_.step)}};
  result_.last.add_to(metadata);
  models_.save_checkpoint(state_.step, adam_.parameters(), metadata);
  // One run to here would not have it.
  if (state_.off_schedule) std::filesystem::remove(models_.checkpoint(state_.last_validated));
  models_.prune();
  state_.last_validated = state_.step;
  state_.off_schedule = !due;
  state_.valid_loss = loss;
  models_.keep_best(adam_.parameters(), metadata, best, cost);
  if (best) {
    state_.best_cost = cost;
    state_.best_valid_loss = loss;
  }
  if (due) {
    const bool better = !state_.best_due_cost || cost < *state_.best_due_cost;
    if (better) state_.best_due_cost = cost;
    state_.validations_since_best = better ? 0 : state_.validations_since_best + 1;
  }
  Json json = {{"step", state_.step}, {"valid_loss", loss}, {"best", best}};
  if (const auto& score = result_.last.score) json[score->name] = score->value;
  progress.log(json.dump());
  progress.say("validation at step " + std::to_string(state_.step) + ": " + result_.last.str() +
               (best ? " (best so far)" : ""));
}

void Trainer::say_what_changed(Progress& progress) const {
  if (options_.resume && !task_.folder().resumes()) {
    progress.say(options_.out.string() + ": nothing has been trained there yet, so this starts");
  }
  const std::vector<RunFingerprint::Data>& changed = task_.folder().changed_data();
  if (changed.empty()) return;
  Json roles = Json::array();
  for (const RunFingerprint::Data& data : changed) {
    roles.push_back(data.role);
    progress.say("the " + data.role + " text has changed: " + data.path + ", " + data.fingerprint);
  }
  progress.log(Json{{"step", state_.step}, {"changed_data", roles}}.dump());
}

void Trainer::say_what_is_ahead(Progress& progress) {
  RunStanding at = standing();
  if (at.step == 0 && options_.minutes > 0 && options_.schedule.warmup_share == 1) {
    at.seconds_per_step = expected_seconds_per_step();
  }
  for (const std::string& note : notes_before(options_, at, task_.model().config().width)) {
    progress.say(note);
  }
  if (at.step == 0) progress.log(schedule_json(options_));
}

void Trainer::make_average(const std::vector<std::filesystem::path>& files) {
  average_checkpoints(files, models_.mean());
  Metadata metadata = load_parameters(models_.mean(), adam_.parameters());
  result_.average = {task_.validation_loss(), task_.validation_score()};
  // On data that have changed since the last step this would be no resume's.
  if (steps_here_ > 0 || task_.folder().changed_data().empty()) result_.average.add_to(metadata);
  if (is_average_best()) {
    models_.make_mean_the_model(adam_.parameters(), metadata);
  } else {
    models_.save_mean(adam_.parameters(), metadata);
  }
}

bool Trainer::is_average_best() const {
  return !state_.best_cost || result_.average.cost(options_.best_by) <= *state_.best_cost;
}

void Trainer::average_last(Progress& progress) {
  progress.pause();
  const std::vector<std::filesystem::path> files = models_.last();
  const bool is_as_it_was = steps_here_ == 0 && task_.folder().changed_data().empty();
  const std::optional<Verdict> known = is_as_it_was ? models_.verdict_on_mean(files) : std::nullopt;
  if (known) {
    result_.average = *known;
  } else {
    make_average(files);
  }
  Json json = {{"valid_loss", result_.average.loss}};
  if (const auto& score = result_.average.score) json[score->name] = score->value;
  progress.log(Json{{"step", state_.step}, {"average", json}}.dump());
  result_.is_average_best = is_average_best();
  if (known || !result_.is_average_best) load_parameters(models_.model(), adam_.parameters());
  const std::string average = "the average of the last " + std::to_string(files.size()) +
                              " checkpoints: " + result_.average.str();
  progress.say(result_.is_average_best
                   ? task_.parameter_file() + " is " + average
                   : average + ", worse than the best of them, which stays the model (" +
                         models_.mean().string() + " has it; fewer may be better)");
  progress.go_on();
}

Verdict Trainer::last_verdict() const {
  if (!state_.valid_loss) return {};
  // A resume that had nothing left to do finds it with the parameters.
  return models_.verdict_on(state_.last_validated).value_or(Verdict{*state_.valid_loss, {}});
}

TrainResult Trainer::run() {
  const InterruptGuard guard;
  Progress progress(options_.out / "log.jsonl", state_.step, options_.quiet);
  progress.say(task_.report());
  say_what_changed(progress);
  say_what_is_ahead(progress);
  std::optional<AnomalyDetection> anomaly;
  if (options_.detect_anomaly) anomaly.emplace();
  tell(progress, &TrainObserver::at_start, state_.step);
  earlier_seconds_ = state_.seconds;
  since_start_.restart();
  while (!is_over(options_, standing()) && InterruptGuard::requested() == 0) {
    const RunStanding before = standing();
    const double lr = next_learning_rate(options_, before, task_.model().config().width);
    tell(progress, &TrainObserver::before_step, state_.step + 1);
    std::optional<StartedStep> step = start_step(lr);
    if (!step) break;
    settle(progress);  // the one before: a GPU is never left without work
    ++state_.step;
    ++steps_here_;
    if (average_) average_->update(state_.step);
    state_.seconds = seconds_trained();
    state_.learning_rate = lr;
    in_flight_ = {std::move(*step), state_.step, before.epoch, lr, state_.seconds};
    tell(progress, &TrainObserver::after_step, state_.step);
    const bool due = is_validation_due(options_, before, standing());
    const bool late = since_save_.seconds() > static_cast<double>(options_.save_every_seconds);
    if (due || late || in_flight_->step.is_done()) settle(progress);
    if (due) {
      validate(progress, true);
      tell(progress, &TrainObserver::after_validation, state_.step);
    } else if (late) {
      progress.pause();
      save_state();
      progress.go_on();
    }
  }
  settle(progress);
  result_.interrupted = InterruptGuard::requested();
  if (result_.interrupted != 0) {
    progress.pause();
    save_state();
    progress.go_on();
    progress.say("stopped at step " + std::to_string(state_.step) + ", saved");
  } else if (state_.last_validated != state_.step) {
    validate(progress, false);
  }
  tell(progress, &TrainObserver::after_training, state_.step);
  if (result_.interrupted == 0 && options_.average > 0) average_last(progress);
  tell(progress, &TrainObserver::at_end, state_.step);
  result_.steps = state_.step;
  result_.epochs = state_.sampler.epoch;
  if (steps_here_ > 0) result_.train_loss = progress.recent_loss();
  result_.last = last_verdict();
  result_.best_valid_loss = state_.best_valid_loss.value_or(TrainResult::kNone);
  result_.seconds = state_.seconds;
  result_.source_tokens_per_second = progress.source_tokens_per_second();
  result_.target_tokens_per_second = progress.target_tokens_per_second();
  return result_;
}

}  // namespace

TrainResult train(const TrainOptions& options, Task& task) { return Trainer(options, task).run(); }

}  // namespace kette
