#include "train/validator.h"

#include <cmath>

#include "data/files/json_text.h"
#include "models/average.h"

namespace kette {
namespace {

void add_score(Json& json, const ValidationResult& result) {
  if (result.score) json[result.score->name] = result.score->value;
}

}  // namespace

Validator::Validator(const TrainOptions& options, Task& task, TrainingState& state)
    : options_(options),
      task_(task),
      state_(state),
      communicator_(*options.communicator),
      models_(options, task.parameter_file()) {}

void Validator::start() {
  resume();
  models_.save_model(task_.parameters(), {{"step", "0"}});
}

void Validator::resume() {
  models_.remove_later_than(state_.step);
  models_.identify(state_.run);
}

void Validator::validate(Progress& progress, bool due, std::int64_t saved_step) {
  last_ = measured();
  KETTE_CHECK(std::isfinite(last_.loss), "train: expected a finite validation loss at step ",
              state_.step, ", given ", last_.loss,
              "; no model was replaced, and --resume goes on from step ", saved_step,
              kDivergenceAdvice);
  const double cost = last_.cost(options_.best_by);
  const bool best = !state_.best_cost || cost < *state_.best_cost;
  communicator_.once("saving", [&] {
    Metadata metadata = {{"step", std::to_string(state_.step)}};
    last_.add_to(metadata);
    models_.save_checkpoint(state_.step, task_.parameters(), metadata);
    // A run without a stop would not have this checkpoint.
    if (state_.off_schedule && state_.last_validated != state_.step) {
      std::filesystem::remove(models_.checkpoint(state_.last_validated));
    }
    models_.prune();
    models_.keep_best(task_.parameters(), metadata, best, cost);
  });
  state_.last_validated = state_.step;
  state_.off_schedule = !due;
  state_.validation_due = false;
  state_.valid_loss = last_.loss;
  if (best) {
    state_.best_cost = cost;
    state_.best_valid_loss = last_.loss;
  }
  if (due) {
    const bool better = !state_.best_due_cost || cost < *state_.best_due_cost;
    if (better) state_.best_due_cost = cost;
    state_.validations_since_best = better ? 0 : state_.validations_since_best + 1;
  }
  Json json = {{"step", state_.step}, {"valid_loss", last_.loss}, {"best", best}};
  add_score(json, last_);
  progress.log(json.dump());
  progress.say("validation at step " + std::to_string(state_.step) + ": " + last_.str() +
               (best ? " (best so far)" : ""));
}

ValidationResult Validator::average_of(const std::vector<std::filesystem::path>& files,
                                       bool notes) {
  Metadata metadata;
  communicator_.once("averaging", [&] { average_checkpoints(files, models_.mean()); });
  communicator_.agree([&] { metadata = load_parameters(models_.mean(), task_.parameters()); });
  ValidationResult found = measured();
  if (notes) found.add_to(metadata);
  communicator_.once("saving", [&] {
    if (is_best(found)) {
      models_.make_mean_the_model(task_.parameters(), metadata);
    } else {
      models_.save_mean(task_.parameters(), metadata);
    }
  });
  return found;
}

void Validator::average_last(Progress& progress, bool has_trained) {
  std::vector<std::filesystem::path> files;
  std::optional<ValidationResult> known;
  const bool is_as_it_was = !task_.folder().has_other_validation();
  communicator_.once("averaging", [&] {
    files = models_.last();
    if (!has_trained && is_as_it_was) known = models_.result_of_mean(files);
  });
  const bool is_known = communicator_.of_first(known.has_value());
  if (!is_known) known = average_of(files, has_trained || is_as_it_was);
  if (!communicator_.is_first()) return;
  average_ = *known;
  is_average_model_ = is_best(average_);
  Json json = {{"valid_loss", average_.loss}};
  add_score(json, average_);
  progress.log(Json{{"step", state_.step}, {"average", json}}.dump());
  if (is_known || !is_average_model_) load_parameters(models_.model(), task_.parameters());
  const std::string average =
      "the average of the last " + std::to_string(files.size()) + " checkpoints: " + average_.str();
  progress.say(is_average_model_
                   ? task_.parameter_file() + " is " + average
                   : average + ", worse than the best of them, which stays the model (" +
                         models_.mean().string() + " has it; fewer may be better)");
}

ValidationResult Validator::last() const {
  if (!state_.valid_loss) return {};
  // After a resume with nothing left to do, the result is in the checkpoint's metadata.
  return models_.result_of_checkpoint(state_.last_validated)
      .value_or(ValidationResult{*state_.valid_loss, {}});
}

}  // namespace kette
