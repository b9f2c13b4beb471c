// The output of a run. For people: a status line of step, loss, learning rate, tokens/s and time left.
// For programs: log.jsonl, with one JSON object per line for every step and every validation; and, if asked for, the
// same numbers for TensorBoard.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "train/event_file.h"
#include "train/status_line.h"
#include "train/step_log.h"
#include "train/train_step.h"

namespace kette {

/// How processes work together.
struct WorkShare {
  int processes = 1;
  double waited = 0;    ///< the mean share of time that a process waits for others
  std::string slowest;  ///< the one that waits least: "process 5 on host b"
};

class Progress {
 public:
  /// Continues the logs of an earlier run after `step`, whose last validation was after `validated`
  /// (train/step_log.h). folder: the run's. tensorboard: also writes for TensorBoard, into the folder tensorboard/ of
  /// that (train/event_file.h).
  Progress(const std::filesystem::path& folder, std::int64_t step, std::int64_t validated,
           bool quiet, bool tensorboard);
  /// For processes other than the first: no output.
  Progress() : status_(true) {}

  /// seconds: of training so far, over all runs.
  void step(std::int64_t step, std::int64_t epoch, double lr, const StepResult& result,
            double seconds, double seconds_left);
  /// Prints a line for people that stays.
  void say(const std::string& line) { status_.say(line); }
  /// Writes a line of JSON for programs.
  void log(const std::string& json);
  /// Adds this to the output of the next steps.
  void share(const WorkShare& share) { share_ = share; }

  double source_tokens_per_second() const { return rate(source_tokens_); }
  double target_tokens_per_second() const { return rate(target_tokens_); }
  /// Mean smoothed loss per token of about the last 100 steps.
  double recent_loss() const { return recent_loss_; }
  /// Tokens per second exclude the time between pause() and go_on(), as of validation and saving.
  void pause() { paused_at_ = Clock::now(); }
  void go_on() { idle_ += Clock::now() - paused_at_; }

 private:
  using Clock = std::chrono::steady_clock;
  double rate(std::int64_t tokens) const;
  std::string status(std::int64_t step, std::int64_t epoch, double lr) const;

  std::optional<StepLog> log_;
  std::optional<EventFile> events_;
  StatusLine status_;
  Clock::time_point start_ = Clock::now(), paused_at_{};
  Clock::duration idle_{};
  std::int64_t source_tokens_ = 0, target_tokens_ = 0, steps_ = 0;
  double recent_loss_ = 0;
  std::optional<WorkShare> share_;
};

}  // namespace kette
