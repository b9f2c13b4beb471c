// What a person sees while training (one line: step, loss, learning rate, tokens/s, time left) and
// what a program reads afterwards (log.jsonl, one JSON object a line: every step, every
// validation).
#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "train/status_line.h"
#include "train/train_step.h"

namespace kette {

class Progress {
 public:
  /// Appends to the log file; lines of steps past `step`, left by a run that was killed, are
  /// dropped first.
  Progress(const std::filesystem::path& log, std::int64_t step, bool quiet);

  void step(std::int64_t step, std::int64_t epoch, double lr, const StepResult& result,
            double seconds_left);
  /// A line of its own for people.
  void say(const std::string& line) { status_.say(line); }
  /// A line of JSON for programs.
  void log(const std::string& json);

  double source_tokens_per_second() const { return rate(source_tokens_); }
  double target_tokens_per_second() const { return rate(target_tokens_); }
  /// Mean smoothed loss per token of about the last 100 steps.
  double recent_loss() const { return recent_loss_; }
  /// Time spent in validation and saving does not count as training.
  void pause() { paused_at_ = Clock::now(); }
  void go_on() { idle_ += Clock::now() - paused_at_; }

 private:
  using Clock = std::chrono::steady_clock;
  double rate(std::int64_t tokens) const;
  std::string status(std::int64_t step, std::int64_t epoch, double lr, double seconds_left) const;

  std::string name_;  // of the log
  std::ofstream log_;
  StatusLine status_;
  Clock::time_point start_ = Clock::now(), paused_at_{};
  Clock::duration idle_{};
  std::int64_t source_tokens_ = 0, target_tokens_ = 0, steps_ = 0;
  double recent_loss_ = 0;
};

}  // namespace kette
