// The page of a training run: of runs that are there (kette plot), and of one that is going on
// (kette train --page).
#pragma once

#include <filesystem>

#include "inspect/training/training_report.h"
#include "tensor/stopwatch.h"
#include "train/observer.h"

namespace kette::cli {

/// What is noted in a run's folder. An Error unless it is one.
PlottedRun read_run(const std::filesystem::path& folder, const std::string& name);

/// page.html in the folder of a run, written anew as it goes on: at most once in ten seconds, or
/// when there was a validation, and so seldom that it takes no more than a fiftieth of the time.
class RunPage final : public TrainObserver {
 public:
  void at_start(Task& task, std::int64_t step) override;
  void after_step(Task& task, std::int64_t step) override { write_after(task, step, 10); }
  void after_validation(Task& task, std::int64_t step) override { write_after(task, step, 1); }
  void at_end(Task& task, std::int64_t step) override;
  /// That all of it took.
  double seconds() const { return seconds_; }

 private:
  void write_after(Task& task, std::int64_t step, double seconds);
  void write(Task& task, std::int64_t step, bool is_over);

  std::vector<PlottedRun> runs_;  // one
  Stopwatch since_;
  double last_took_ = 0, seconds_ = 0;
};

}  // namespace kette::cli
