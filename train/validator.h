// Validates the model during a run, saves it as a checkpoint, and keeps the best one as the model of the folder. At the
// end the mean of the last checkpoints may become the model. All processes validate; the first writes.
#pragma once

#include "train/progress.h"
#include "train/run_models.h"
#include "train/task.h"

namespace kette {

class Validator {
 public:
  /// All must outlive this. state: of the run; validate() updates it.
  Validator(const TrainOptions& options, Task& task, TrainingState& state);

  /// Call start() or resume() in the first process, after the state and the folder's description exist.
  void start();
  void resume();
  /// Validates the current model and reports the result. Throws an Error if the loss is not finite. due: by the
  /// schedule, not only because the run ends. saved_step: the step that a resume continues from, for the message.
  void validate(Progress& progress, bool due, std::int64_t saved_step);
  /// Validates the mean of the last checkpoints, which becomes the model if it is best. has_trained: whether this
  /// program has taken a step.
  void average_last(Progress& progress, bool has_trained);

  /// The result of the last validation, here or before a resume.
  ValidationResult last() const;
  /// The result of the mean, if one was asked for.
  const ValidationResult& average() const { return average_; }
  /// Whether the mean is the model.
  bool is_average_model() const { return is_average_model_; }

 private:
  ValidationResult measured() { return {task_.validation_loss(), task_.validation_score()}; }
  /// Makes, validates and saves the mean of these files. notes: whether its metadata gets the result.
  ValidationResult average_of(const std::vector<std::filesystem::path>& files, bool notes);
  bool is_best(const ValidationResult& average) const {
    return !state_.best_cost || average.cost(options_.best_by) <= *state_.best_cost;
  }

  const TrainOptions& options_;
  Task& task_;
  TrainingState& state_;
  Communicator& communicator_;
  RunModels models_;
  ValidationResult last_, average_;
  bool is_average_model_ = false;
};

}  // namespace kette
