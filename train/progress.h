// What a person sees while training (one line: step, loss, learning rate, tokens/s, time left) and
// what a program reads afterwards (log.jsonl, one JSON object a line: every step, every
// validation).
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

#include "train/status_line.h"
#include "train/step_log.h"
#include "train/train_step.h"

namespace kette {

/// How processes work together.
struct WorkShare {
  int processes = 1;
  double waited = 0;    ///< the share of the time in which one of them waits for others
  std::string slowest;  ///< which waits least: "process 5 on host b"
};

class Progress {
 public:
  /// Goes on with the log of an earlier run up to `step` (train/step_log.h).
  Progress(const std::filesystem::path& log, std::int64_t step, bool quiet)
      : log_(std::in_place, log, step), status_(quiet) {}
  /// Of a process that leaves it to another one to speak.
  Progress() : status_(true) {}

  /// seconds: of training so far, over all runs.
  void step(std::int64_t step, std::int64_t epoch, double lr, const StepResult& result,
            double seconds, double seconds_left);
  /// A line of its own for people.
  void say(const std::string& line) { status_.say(line); }
  /// A line of JSON for programs.
  void log(const std::string& json) {
    if (log_) log_->write(json);
  }
  /// What there is to say of many processes, for people and programs, at the steps from now on.
  void share(const WorkShare& share) { share_ = share; }

  double source_tokens_per_second() const { return rate(source_tokens_); }
  double target_tokens_per_second() const { return rate(target_tokens_); }
  /// Mean smoothed loss per token of about the last 100 steps.
  double recent_loss() const { return recent_loss_; }
  /// Time spent in validation and saving does not count in tokens a second.
  void pause() { paused_at_ = Clock::now(); }
  void go_on() { idle_ += Clock::now() - paused_at_; }

 private:
  using Clock = std::chrono::steady_clock;
  double rate(std::int64_t tokens) const;
  std::string status(std::int64_t step, std::int64_t epoch, double lr, double seconds_left) const;

  std::optional<StepLog> log_;
  StatusLine status_;
  Clock::time_point start_ = Clock::now(), paused_at_{};
  Clock::duration idle_{};
  std::int64_t source_tokens_ = 0, target_tokens_ = 0, steps_ = 0;
  double recent_loss_ = 0;
  std::optional<WorkShare> share_;
};

}  // namespace kette
