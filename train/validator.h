// What becomes of the models that a run comes by: each is validated and kept as a checkpoint, the best is the model of the
// folder, or in the end the mean of the last ones. Of several processes all validate, and the first writes.
#pragma once

#include "train/progress.h"
#include "train/run_models.h"
#include "train/task.h"

namespace kette {

class Validator {
 public:
  /// All outlive this. state: of the run, in which it notes what it finds.
  Validator(const TrainOptions& options, Task& task, TrainingState& state);

  /// In the first process, once the state is there and the folder has its description.
  void start();
  void resume();
  /// The model as it is now, and says how it is. due: by the schedule, and not for it is the end. saved_step: that the run
  /// goes on from where this fails.
  void validate(Progress& progress, bool due, std::int64_t saved_step);
  /// Validates the mean of the last checkpoints, which becomes the model if it is the best one. has_trained: since the
  /// program was started.
  void average_last(Progress& progress, bool has_trained);

  /// Of the last validation, here or before a resume.
  ValidationResult last() const;
  /// Of the mean, if one was asked for; and whether it is the model.
  const ValidationResult& average() const { return average_; }
  bool is_average_model() const { return is_average_model_; }

 private:
  ValidationResult measured() { return {task_.validation_loss(), task_.validation_score()}; }
  /// Of the mean of these, which is made and kept. notes: whether the files say it.
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
