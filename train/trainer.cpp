#include "train/trainer.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "autograd/anomaly.h"
#include "models/average.h"
#include "train/interrupt.h"
#include "train/progress.h"

namespace kette {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// What must be equal for a resumed run to be the same run.
std::string recipe(const TrainOptions& o, const Task& task) {
  Json json = Json::parse(task.recipe());
  json.update(Json{{"batch_tokens", o.batch_tokens},
                   {"accumulate", o.accumulate},
                   {"schedule", static_cast<int>(o.schedule.kind)},
                   {"lr", o.schedule.lr},
                   {"warmup", o.schedule.warmup},
                   {"beta1", o.adam.beta1},
                   {"beta2", o.adam.beta2},
                   {"epsilon", o.adam.epsilon},
                   {"weight_decay", o.adam.weight_decay},
                   {"label_smoothing", o.label_smoothing},
                   {"clip_norm", o.clip_norm},
                   {"precision", name_of(o.precision)},
                   {"seed", o.seed}});
  return json.dump();
}

class Trainer {
 public:
  Trainer(const TrainOptions& options, Task& task)
      : options_(options),
        task_(task),
        model_(task.model()),
        adam_(*model_.parameters, options.adam) {
    const std::string now = recipe(options_, task_);
    if (options_.resume) {
      state_ = load_training_state(state_file(), now, *model_.parameters, adam_);
      task_.restore_sampler(state_.sampler);
    } else {
      state_.recipe = now;
      task_.save_description();
      save_model({{"step", "0"}});
      save_state();
    }
  }

  TrainResult run();

 private:
  fs::path state_file() const { return options_.out / "training.safetensors"; }
  fs::path model_file() const { return options_.out / task_.parameter_file(); }
  void save_model(const Metadata& metadata) const {
    save_parameters(model_file(), *model_.parameters, metadata);
  }
  void save_state() {
    save_training_state(state_file(), state_, *model_.parameters, adam_);
    last_saved_ = Clock::now();
  }
  void validate(Progress& progress);
  void average_last(Progress& progress) const;
  void prune_checkpoints() const;
  double seconds_trained() const { return earlier_seconds_ + seconds_since(started_); }
  bool finished() const;
  double seconds_per_step() const;
  /// Until the first limit of the run; infinite while none is in sight.
  double steps_left() const;
  double next_learning_rate() const;
  void sample();
  StepResult one_step(double lr);

  const TrainOptions& options_;
  Task& task_;                  // its sampler is a step ahead of state_.sampler
  std::vector<Batch> batches_;  // of the next step
  TrainedModel model_;
  Adam adam_;
  TrainingState state_;
  TrainResult result_;
  Clock::time_point started_ = Clock::now(), last_saved_ = Clock::now();
  double earlier_seconds_ = 0;
  std::int64_t steps_here_ = 0;
  std::int64_t last_validated_ = -1;
};

void Trainer::sample() {
  batches_.clear();
  for (std::int64_t i = 0; i < options_.accumulate; ++i) batches_.push_back(task_.next_batch());
}

StepResult Trainer::one_step(double lr) {
  if (batches_.empty()) sample();
  state_.sampler = task_.sampler_state();
  StartedStep step = start_step(model_, adam_, batches_,
                                {lr, options_.label_smoothing, options_.clip_norm, options_.seed});
  sample();  // the next, while a GPU is at work
  return step.finish();
}

bool Trainer::finished() const {
  return (options_.steps > 0 && state_.step >= options_.steps) ||
         (options_.epochs > 0 && state_.sampler.epoch >= options_.epochs) ||
         (options_.minutes > 0 && seconds_trained() >= options_.minutes * 60) ||
         (options_.patience > 0 && state_.validations_since_best >= options_.patience);
}

double Trainer::seconds_per_step() const {
  return seconds_since(started_) / static_cast<double>(std::max<std::int64_t>(1, steps_here_));
}

double Trainer::steps_left() const {
  double left = std::numeric_limits<double>::infinity();
  const auto at_most = [&](double steps) { left = std::min(left, std::max(0.0, steps)); };
  if (options_.steps > 0) at_most(static_cast<double>(options_.steps - state_.step));
  if (options_.epochs > 0) {
    const double epoch = static_cast<double>(task_.batches_in_epoch());
    const double done = static_cast<double>(state_.sampler.epoch) * epoch +
                        static_cast<double>(state_.sampler.position);
    at_most((static_cast<double>(options_.epochs) * epoch - done) /
            static_cast<double>(options_.accumulate));
  }
  if (options_.minutes > 0 && steps_here_ > 0)
    at_most((options_.minutes * 60 - seconds_trained()) / seconds_per_step());
  return left;
}

double Trainer::next_learning_rate() const {
  ScheduleOptions schedule = options_.schedule;
  schedule.width = model_.width;
  const double left = steps_left();
  if (std::isfinite(left)) schedule.total_steps = state_.step + std::llround(std::ceil(left));
  return learning_rate(schedule, state_.step + 1);
}

void Trainer::prune_checkpoints() const {
  const std::vector<fs::path> files = list_checkpoints(options_.out);
  for (std::size_t i = 0; i + static_cast<std::size_t>(options_.keep) < files.size(); ++i) {
    std::error_code ignored;
    fs::remove(files[i], ignored);
  }
}

void Trainer::validate(Progress& progress) {
  progress.pause();
  last_validated_ = state_.step;
  const double loss = task_.validation_loss();
  result_.valid_loss = loss;
  const bool best = state_.best_valid_loss == 0 || loss < state_.best_valid_loss;
  const Metadata metadata = {{"step", std::to_string(state_.step)},
                             {"valid_loss", std::to_string(loss)}};
  save_parameters(
      options_.out / "checkpoints" / ("step-" + std::to_string(state_.step) + ".safetensors"),
      *model_.parameters, metadata);
  prune_checkpoints();
  if (best) {
    save_model(metadata);
    state_.best_valid_loss = loss;
    state_.validations_since_best = 0;
  } else {
    ++state_.validations_since_best;
  }
  Json json = {
      {"step", state_.step}, {"epoch", state_.sampler.epoch}, {"valid_loss", loss}, {"best", best}};
  char line[160];
  std::snprintf(line, sizeof line, "validation at step %lld: loss %.4f, perplexity %.2f",
                static_cast<long long>(state_.step), loss, std::exp(loss));
  std::string text = line;
  result_.valid_score = task_.validation_score();
  if (const auto& score = result_.valid_score) {
    json[score->name] = score->value;
    std::snprintf(line, sizeof line, ", %s %.2f", score->label.c_str(), score->value);
    text += line;
  }
  progress.log(json.dump());
  progress.say(text + (best ? " (best so far)" : ""));
  save_state();
  progress.go_on();
}

void Trainer::average_last(Progress& progress) const {
  std::vector<fs::path> files = list_checkpoints(options_.out);
  if (files.size() > static_cast<std::size_t>(options_.average)) {
    files.erase(files.begin(), files.end() - options_.average);
  }
  average_checkpoints(files, model_file());
  progress.say(task_.parameter_file() + " is the average of the last " +
               std::to_string(files.size()) + " checkpoints");
}

TrainResult Trainer::run() {
  const InterruptGuard guard;
  Progress progress(options_.out / "log.jsonl", state_.step, options_.quiet);
  progress.say(task_.report());
  std::optional<AnomalyDetection> anomaly;
  if (options_.detect_anomaly) anomaly.emplace();
  earlier_seconds_ = state_.seconds;
  started_ = Clock::now();
  while (!finished() && !InterruptGuard::requested()) {
    const std::int64_t epoch = state_.sampler.epoch;
    const double lr = next_learning_rate();
    const StepResult step = one_step(lr);
    ++state_.step;
    ++steps_here_;
    state_.seconds = seconds_trained();
    const double left = steps_left() * seconds_per_step();
    progress.step(state_.step, epoch, lr, step, std::isfinite(left) ? left : 0);
    const bool due = options_.validate_every > 0 ? state_.step % options_.validate_every == 0
                                                 : state_.sampler.epoch > epoch;
    if (due) {
      validate(progress);
    } else if (seconds_since(last_saved_) > static_cast<double>(options_.save_every_seconds)) {
      save_state();
    }
  }
  result_.interrupted = InterruptGuard::requested();
  if (result_.interrupted) {
    save_state();
    progress.say("stopped at step " + std::to_string(state_.step) + ", saved");
  } else {
    if (last_validated_ != state_.step && state_.step > 0) validate(progress);
    if (options_.average > 0) average_last(progress);
  }
  result_.steps = state_.step;
  result_.epochs = state_.sampler.epoch;
  result_.train_loss = progress.recent_loss();
  result_.best_valid_loss = state_.best_valid_loss;
  result_.seconds = state_.seconds;
  result_.source_tokens_per_second = progress.source_tokens_per_second();
  result_.target_tokens_per_second = progress.target_tokens_per_second();
  return result_;
}

}  // namespace

void TrainOptions::check() const {
  const auto at_least = [](const char* what, double value, double least) {
    KETTE_CHECK(value >= least, what, ": expected at least ", least, ", given ", value);
  };
  at_least("batch_tokens", static_cast<double>(batch_tokens), 1);
  at_least("accumulate", static_cast<double>(accumulate), 1);
  at_least("steps", static_cast<double>(steps), 0);
  at_least("epochs", static_cast<double>(epochs), 0);
  at_least("minutes", minutes, 0);
  at_least("keep", static_cast<double>(keep), 1);
  KETTE_CHECK(steps > 0 || epochs > 0 || minutes > 0 || patience > 0,
              "train: expected a limit (steps, epochs, minutes or patience), given none");
  KETTE_CHECK(
      schedule.kind != ScheduleOptions::Kind::cosine || steps > 0 || epochs > 0 || minutes > 0,
      "train: expected steps, epochs or minutes beside the cosine schedule, which falls "
      "until then, given none");
  KETTE_CHECK(lora.rank == 0 || !from.empty(),
              "lora: expected a model to put adapters on (from), given none");
  if (lora.rank != 0) lora.check();
  KETTE_CHECK(average <= keep, "average: expected at most the number of checkpoints kept, ", keep,
              ", given ", average);
  KETTE_CHECK(schedule.lr > 0, "lr: expected more than 0, given ", schedule.lr);
  KETTE_CHECK(label_smoothing >= 0 && label_smoothing < 1,
              "label_smoothing: expected a value in [0, 1), given ", label_smoothing);
}

void prepare_model_directory(const TrainOptions& options) {
  const fs::path& out = options.out;
  if (!options.resume) {
    KETTE_CHECK(!fs::exists(out / "config.json"), out.string(),
                ": expected a folder without a model, given one that holds one; continue it with "
                "--resume, or choose another --out");
  }
  std::error_code error;
  fs::create_directories(out / "checkpoints", error);
  KETTE_CHECK(!error, out.string(), ": expected a folder that can be written, given ",
              error.message());
}

TrainResult train(const TrainOptions& options, Task& task) { return Trainer(options, task).run(); }

}  // namespace kette
