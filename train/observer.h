// Callbacks of a training run. They do not change what is trained. But a time limit (`minutes`) includes the time that
// they take; tokens per second do not.
#pragma once

#include <cstdint>

namespace kette {

class Task;

class TrainObserver {
 public:
  virtual ~TrainObserver() = default;

  /// Before the first step. step: the number of steps so far, more than 0 after a resume. Drop what
  /// was recorded of later steps.
  virtual void at_start(Task&, std::int64_t step) { (void)step; }
  /// Before and after step number `step`. After it the gradients are still the step's.
  virtual void before_step(Task&, std::int64_t step) { (void)step; }
  virtual void after_step(Task&, std::int64_t step) { (void)step; }
  /// After the validation after that step is in the log.
  virtual void after_validation(Task&, std::int64_t step) { (void)step; }
  /// After the last step and its validation. The parameters are those of the last step.
  virtual void after_training(Task&, std::int64_t step) { (void)step; }
  /// After the run has ended or was interrupted. The parameters may be an average.
  virtual void at_end(Task&, std::int64_t step) { (void)step; }
};

}  // namespace kette
