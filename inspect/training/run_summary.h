// Summaries of training runs: results and settings; and all their numbers as CSV.
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "inspect/training/step_series.h"

namespace kette {

struct PlottedRun {
  std::string name, folder;
  std::vector<std::pair<std::string, std::string>> settings;  ///< of config.toml
  StepSeries log, record;
};

/// NaN: not in the log.
struct RunSummary {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  struct Best {
    double value = kNone, step = kNone;
    bool is_average = false;  ///< of the last checkpoints up to that step
  };
  double steps = 0, epochs = kNone, target_tokens = kNone, seconds = kNone;
  double train_loss = kNone;  ///< mean over about the last 100 steps, without label smoothing
  Best valid_loss;            ///< the smallest
  double last_valid_loss = kNone;
  std::string score;  ///< the name of the validation score, "BLEU"; empty: none
  Best valid_score;
  double tokens_per_second = kNone;
};
RunSummary summary_of(const StepSeries& log);

/// The names of the series of validation scores, "valid_bleu"; and a name for people.
std::vector<std::string> score_names(const StepSeries& log);
std::string score_label(const std::string& name);

/// The training loss per token, without label smoothing if the log has that.
const Series& training_loss(const StepSeries& log);
/// The number of target tokens up to each step.
Series tokens_by_step(const StepSeries& log);

/// The steps that a TrainingRecorder recorded.
std::vector<double> recorded_steps(const StepSeries& record);

struct DifferingSetting {
  std::string name;
  std::vector<std::string> values;  ///< by run; empty: not set
};
/// The settings that differ between runs, without paths.
std::vector<DifferingSetting> differing_settings(const std::vector<PlottedRun>& runs);

/// The first line of to_csv().
inline constexpr std::string_view kCsvColumns = "run,step,name,value";
/// Every number of log.jsonl and record.jsonl as CSV (RFC 4180): run, step, name, value, a row for each. Numbers that
/// were not finite are NaN.
std::string to_csv(const std::vector<PlottedRun>& runs);

}  // namespace kette
