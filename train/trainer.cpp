#include "train/trainer.h"

#include <cmath>
#include <cstdlib>

#include "autograd/anomaly.h"
#include "data/files/atomic_file.h"
#include "models/adapter_directory.h"
#include "tensor/stopwatch.h"
#include "train/batches_ahead.h"
#include "train/finite_state.h"
#include "train/interrupt.h"
#include "train/moving_average.h"
#include "train/progress.h"
#include "train/rehearsal.h"
#include "train/run_length.h"
#include "train/run_notes.h"
#include "train/validator.h"

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
  /// due: by the schedule, not only because the run ends. A signal ends it, and then it stays due.
  void validate(Progress& progress, bool due);
  /// Or leaves the one that is due to a resume, after a signal.
  void validate_if_due(Progress& progress);
  /// Whether the last step lacks a validation by the text of now.
  bool lacks_validation() const {
    return state_.step > 0 && (state_.last_validated != state_.step || !state_.valid_loss);
  }
  bool is_save_late() const {
    return now_.since_save > static_cast<double>(options_.save_every_seconds);
  }
  void say_what_is_ahead(Progress& progress);
  double seconds_per_step() const;
  /// Measured before the first step, for a run with a time limit.
  double expected_seconds_per_step();
  RunStanding standing() const;
  /// Updates now_: the clock and the signal that all processes use until the next look.
  void look(Progress& progress);
  /// Takes effect with the next step. All processes begin the same stage.
  void begin_stage(std::int64_t stage);
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

  /// The first process's clock, and a signal that any process got.
  struct Look {
    double seconds = 0, since_save = 0, since_validation = 0, validation_seconds = 0;
    double waited = 0;  ///< this process's
    int signal = 0;
  };

  const TrainOptions& options_;
  Task& task_;
  Communicator& communicator_;
  BatchesAhead ahead_;
  std::unique_ptr<Optimizer> optimizer_;
  TrainSteps steps_;
  std::optional<MovingAverage> average_;
  TrainingState state_;
  Validator validator_;
  std::optional<InFlight> in_flight_;
  TrainResult result_;
  Stopwatch since_start_, since_save_, since_validation_;
  double validation_seconds_ = 0, earlier_seconds_ = 0, waited_before_ = 0;
  Look now_;
  std::int64_t steps_here_ = 0, saved_step_ = 0;
};

/// KETTE_EXCHANGE_CHUNK: the elements of a chunk, for measurements.
Shards shards_of(Task& task, const Communicator& communicator) {
  const char* other = std::getenv("KETTE_EXCHANGE_CHUNK");
  return Shards(task.parameters().values().elements(), communicator.process(),
                communicator.processes(), other ? std::max(1, std::atoi(other)) : kChunkElements);
}

Trainer::Trainer(const TrainOptions& options, Task& task)
    : options_(options),
      task_(task),
      communicator_(*options.communicator),
      ahead_(task.sampler(), options.accumulate,
             share_of(communicator_.process(), communicator_.processes(), options.accumulate)),
      optimizer_(
          make_optimizer(task.parameters(), options.optimizer, shards_of(task, communicator_))),
      steps_(task.model(), *optimizer_, communicator_),
      validator_(options, task, state_) {
  if (options.ema > 0) {
    average_.emplace(optimizer_->parameters(), options.ema, optimizer_->shards(), communicator_);
  }
  KETTE_CHECK(options.accumulate >= communicator_.processes(),
              "train: expected at least a batch of a step for each of ", communicator_.processes(),
              " processes, given ", options.accumulate,
              " batches a step (--accumulate), which must stay in a run that is resumed");
  KETTE_CHECK(task.sampler().stages() == std::max<std::int64_t>(1, options.stages.size()),
              "stages: expected none where texts are not mixed, given ", options.stages.size());
  task_.folder().resumes() ? resume() : start();
  communicator_.once("starting", [&] {
    if (options_.configuration.empty()) return;
    write_file_atomically(options_.out / "config.toml", options_.configuration);
  });
}

/// The state is saved first, since it marks the folder as this run's.
void Trainer::start() {
  state_.fingerprint = task_.folder().fingerprint();
  state_.run = state_.fingerprint.id();
  save_state();
  communicator_.once("starting", [&] {
    // From a start that was killed before its first save.
    remove_adapters(options_.out);
    task_.save_description();
    validator_.start();
  });
}

void Trainer::resume() {
  state_ = load_training_state(task_.folder().state_file(), optimizer_->parameters(), *optimizer_,
                               average_ ? average_->values() : Tensor(), communicator_);
  saved_step_ = state_.step;
  state_.fingerprint = task_.folder().fingerprint();
  // With changed text, the place in the epoch is meaningless; with another validation, so are earlier losses.
  for (const RunFingerprint::Data& data : task_.folder().changed_data()) {
    if (!data.is_for_validation()) state_.sampler.position = 0;
  }
  if (task_.folder().has_other_validation()) {
    state_.valid_loss.reset();
    state_.best_valid_loss.reset();
    state_.best_cost.reset();
    state_.best_due_cost.reset();
    state_.validations_since_best = 0;
  }
  task_.sampler().restore(state_.sampler);
  communicator_.once("starting", [&] {
    task_.save_base();
    validator_.resume();
  });
}

void Trainer::save_state() {
  expect_finite(state_.step, *optimizer_, communicator_, saved_step_);
  save_training_state(task_.folder().state_file(), state_, optimizer_->parameters(), *optimizer_,
                      average_ ? average_->values() : Tensor(), communicator_);
  saved_step_ = state_.step;
  since_save_.restart();
}

double Trainer::expected_seconds_per_step() {
  const auto seconds = [&] {
    return seconds_of_passes(task_.model(), optimizer_->parameters(), ahead_.first());
  };
  seconds();  // warm-up: allocates the memory
  return static_cast<double>(options_.accumulate) * seconds();
}

void Trainer::begin_stage(std::int64_t stage) {
  ahead_.forget();
  task_.sampler().begin_stage(stage);
}

std::optional<StartedStep> Trainer::start_step(double lr) {
  // A signal cancels a step of many batches after its first one. Several processes must finish the step together.
  const StepBatches batches =
      ahead_.next([&] { return communicator_.is_alone() && InterruptGuard::requested() != 0; });
  ConsistencyOptions consistency = options_.consistency;
  consistency.source_tags = task_.source_tags();
  std::optional<StartedStep> step =
      steps_.start(batches, {.lr = lr,
                             .label_smoothing = options_.label_smoothing,
                             .clip_norm = options_.clip_norm,
                             .seed = options_.seed,
                             .consistency = consistency});
  if (!step) {
    ahead_.given_up();
    return std::nullopt;
  }
  ahead_.taken();
  state_.sampler = task_.sampler().state();
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
  if (options_.observers.empty() || !communicator_.is_first()) return;
  const Communicator::Phase phase(communicator_, "recording");
  progress.pause();
  for (TrainObserver* observer : options_.observers) (observer->*notice)(task_, step);
  progress.go_on();
}

double Trainer::seconds_per_step() const {
  if (steps_here_ > 0) {
    return (now_.seconds - earlier_seconds_) / static_cast<double>(steps_here_);
  }
  return state_.step > 0 ? state_.seconds / static_cast<double>(state_.step) : 0;
}

RunStanding Trainer::standing() const {
  return {state_.step,
          state_.sampler.epoch,
          state_.sampler.position,
          task_.sampler().batches_in_epoch(),
          state_.validations_since_best,
          now_.seconds,
          seconds_per_step(),
          state_.learning_rate,
          now_.validation_seconds,
          now_.since_validation,
          state_.sampler.stage};
}

void Trainer::look(Progress& progress) {
  now_ = {earlier_seconds_ + since_start_.seconds(),
          since_save_.seconds(),
          since_validation_.seconds(),
          validation_seconds_,
          communicator_.seconds_waited() - waited_before_,
          InterruptGuard::requested()};
  state_.seconds = now_.seconds;
  if (communicator_.is_alone()) return;
  const std::vector<Look> all = communicator_.all(now_);
  now_ = all.front();
  state_.seconds = now_.seconds;
  WorkShare share;
  share.processes = communicator_.processes();
  int slowest = 0;
  for (int process = 0; process < share.processes; ++process) {
    const Look& look = all[process];
    if (now_.signal == 0) now_.signal = look.signal;
    share.waited += look.waited / share.processes / std::max(since_start_.seconds(), 1e-9);
    if (look.waited < all[slowest].waited) slowest = process;
  }
  share.slowest = communicator_.name_of(slowest);
  progress.share(share);
}

void Trainer::validate(Progress& progress, bool due) {
  progress.pause();
  expect_finite(state_.step, *optimizer_, communicator_, saved_step_);
  state_.validation_due = due;
  if (is_save_late()) save_state();
  const Stopwatch watch;
  try {
    std::optional<MovingAverage::Shown> shown;
    if (average_) shown.emplace(*average_);
    validator_.validate(progress, due, saved_step_);
  } catch (const Interrupted&) {
    look(progress);
    progress.go_on();
    return;
  }
  validation_seconds_ = watch.seconds();
  since_validation_.restart();
  look(progress);
  save_state();
  progress.go_on();
}

void Trainer::validate_if_due(Progress& progress) {
  if (!state_.validation_due || now_.signal != 0) return;
  validate(progress, true);
  if (!state_.validation_due) tell(progress, &TrainObserver::after_validation, state_.step);
  look(progress);
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

TrainResult Trainer::run() {
  const InterruptGuard guard;
  std::optional<Progress> spoken;
  communicator_.once("starting", [&] {
    spoken.emplace(options_.out, state_.step, state_.last_validated, options_.quiet,
                   options_.tensorboard);
    spoken->say(task_.report());
    say_what_changed(*spoken, options_, task_.folder(), state_.step);
    say_who_works(*spoken, options_, *optimizer_);
    say_what_is_ahead(*spoken);
  });
  if (!spoken) spoken.emplace();
  Progress& progress = *spoken;
  std::optional<AnomalyDetection> anomaly;
  if (options_.detect_anomaly) anomaly.emplace();
  tell(progress, &TrainObserver::at_start, state_.step);
  earlier_seconds_ = state_.seconds;
  waited_before_ = communicator_.seconds_waited();
  since_start_.restart();
  look(progress);
  validate_if_due(progress);
  while (!is_over(options_, standing()) && now_.signal == 0) {
    const RunStanding before = standing();
    const double lr = next_learning_rate(options_, before, task_.model().config().width);
    const std::int64_t stage = next_stage(options_, before);
    if (stage != before.stage) begin_stage(stage);
    tell(progress, &TrainObserver::before_step, state_.step + 1);
    communicator_.doing("step " + std::to_string(state_.step + 1));
    std::optional<StartedStep> step = start_step(lr);
    if (!step) break;
    settle(progress);  // of the step before, so that a GPU always has work
    ++state_.step;
    ++steps_here_;
    // Not before: a step that was cancelled begins its stage again after a resume.
    if (stage != before.stage || state_.step == 1) {
      say_stage(progress, options_, stage, state_.step);
    }
    if (average_) average_->update(state_.step);
    tell(progress, &TrainObserver::after_step, state_.step);
    look(progress);
    state_.learning_rate = lr;
    in_flight_ = {std::move(*step), state_.step, before.epoch, lr, state_.seconds};
    const bool late = is_save_late();
    state_.validation_due = is_validation_due(options_, before, standing());
    if (state_.validation_due || late || in_flight_->step.is_done()) settle(progress);
    if (state_.validation_due) {
      validate_if_due(progress);
    } else if (late) {
      progress.pause();
      save_state();
      progress.go_on();
      look(progress);
    }
  }
  settle(progress);
  look(progress);
  if (now_.signal == 0 && lacks_validation()) {
    validate(progress, state_.last_validated == state_.step && !state_.off_schedule);
  }
  if (now_.signal != 0) {
    progress.pause();
    save_state();
    progress.go_on();
    progress.say("stopped at step " + std::to_string(state_.step) + ", saved");
  }
  tell(progress, &TrainObserver::after_training, state_.step);
  if (now_.signal == 0 && options_.average > 0) {
    progress.pause();
    try {
      validator_.average_last(progress, steps_here_ > 0);
    } catch (const Interrupted&) {
      progress.say("stopped before the average was validated");
    }
    progress.go_on();
    look(progress);
  }
  result_.interrupted = now_.signal;
  tell(progress, &TrainObserver::at_end, state_.step);
  result_.steps = state_.step;
  result_.epochs = state_.sampler.epoch;
  if (steps_here_ > 0) result_.train_loss = progress.recent_loss();
  if (communicator_.is_first()) result_.last = validator_.last();
  result_.average = validator_.average();
  result_.is_average_best = validator_.is_average_model();
  result_.best_valid_loss = state_.best_valid_loss.value_or(TrainResult::kNone);
  result_.seconds = state_.seconds;
  result_.source_tokens_per_second = progress.source_tokens_per_second();
  result_.target_tokens_per_second = progress.target_tokens_per_second();
  return result_;
}

}  // namespace

TrainResult train(const TrainOptions& options, Task& task) { return Trainer(options, task).run(); }

}  // namespace kette
