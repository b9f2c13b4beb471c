// Training runs side by side: what each of them reached, and with which settings.
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

/// NaN: the log says nothing of it.
struct RunSummary {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  struct Best {
    double value = kNone, step = kNone;
  };
  double steps = 0, epochs = kNone, target_tokens = kNone, seconds = kNone;
  double train_loss = kNone;  ///< mean over about the last 100 steps, without label smoothing
  Best valid_loss;            ///< the smallest
  double last_valid_loss = kNone;
  std::string score;  ///< what score the validation has beside the loss, "BLEU"; empty: none
  Best valid_score;
  double tokens_per_second = kNone;
};
RunSummary summary_of(const StepSeries& log);

/// The names of the series of scores that a validation has beside the loss, "valid_bleu", and what people call one.
std::vector<std::string> score_names(const StepSeries& log);
std::string score_label(const std::string& name);

/// The series of the training loss: per token, without label smoothing where the log has it.
const Series& training_loss(const StepSeries& log);
/// How many target tokens had been learnt from by each step.
Series tokens_by_step(const StepSeries& log);

/// The steps that a TrainingRecorder has written of.
std::vector<double> recorded_steps(const StepSeries& record);

struct DifferingSetting {
  std::string name;
  std::vector<std::string> values;  ///< of each run; empty: it has none
};
/// Those that not all runs have alike, but for where they lie.
std::vector<DifferingSetting> differing_settings(const std::vector<PlottedRun>& runs);

}  // namespace kette
