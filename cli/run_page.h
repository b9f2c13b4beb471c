// The page of training runs: of finished ones (kette plot), and of one in progress (kette train --page).
#pragma once

#include <filesystem>

#include "inspect/training/training_report.h"
#include "tensor/stopwatch.h"
#include "train/observer.h"

namespace kette::cli {

/// Reads the logs and settings in a run's folder. Throws an Error if it is not one.
PlottedRun read_run(const std::filesystem::path& folder, const std::string& name);

/// Rewrites page.html in the folder of a run during training: at most every ten seconds, sooner after a
/// validation. It takes at most a fiftieth of the time.
class RunPage final : public TrainObserver {
 public:
  void at_start(Task& task, std::int64_t step) override;
  void after_step(Task& task, std::int64_t step) override { write_after(task, step, 10); }
  void after_validation(Task& task, std::int64_t step) override { write_after(task, step, 1); }
  void at_end(Task& task, std::int64_t step) override;
  /// The time that all writing took.
  double seconds() const { return seconds_; }

 private:
  void write_after(Task& task, std::int64_t step, double seconds);
  void write(Task& task, std::int64_t step, bool is_over);

  std::vector<PlottedRun> runs_;  // one
  Stopwatch since_;
  double last_took_ = 0, seconds_ = 0;
};

}  // namespace kette::cli
