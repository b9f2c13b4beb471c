// Somebody who watches a run from outside. What observers do changes no bit of what is trained, except where the run ends by
// the clock, which goes on while they are at work; tokens a second are without their time.
#pragma once

#include <cstdint>

namespace kette {

class Task;

class TrainObserver {
 public:
  virtual ~TrainObserver() = default;

  /// Before anything is trained. step: how many there have been; more than 0 on a resume, and what
  /// was seen of later ones is void.
  virtual void at_start(Task&, std::int64_t step) { (void)step; }
  /// Around step number `step`. After it the gradients are still those that it took.
  virtual void before_step(Task&, std::int64_t step) { (void)step; }
  virtual void after_step(Task&, std::int64_t step) { (void)step; }
  /// Once the log has the validation after that step.
  virtual void after_validation(Task&, std::int64_t step) { (void)step; }
  /// After the last step that the run has here, and its validation, with the parameters that came of it.
  virtual void after_training(Task&, std::int64_t step) { (void)step; }
  /// Once the run is over, or was interrupted. The parameters may be an average.
  virtual void at_end(Task&, std::int64_t step) { (void)step; }
};

}  // namespace kette
