#include "inspect/training/run_summary.h"

#include <algorithm>
#include <cmath>

#include "data/metrics/metrics.h"
#include "tensor/shortest.h"

namespace kette {
namespace {

double last_of(const Series& series) {
  return series.values.empty() ? RunSummary::kNone : series.values.back();
}

/// factor: 1 for the smallest, -1 for the largest.
RunSummary::Best best_of(const Series& series, double factor) {
  RunSummary::Best best;
  for (std::size_t i = 0; i < series.values.size(); ++i) {
    if (std::isnan(best.value) || factor * series.values[i] < factor * best.value) {
      best = {series.values[i], series.steps[i]};
    }
  }
  return best;
}

/// Of the steps, or of the average that a run ends with (kette train --average), if that is better.
RunSummary::Best best_or_average(const StepSeries& log, const std::string& name, double factor) {
  const RunSummary::Best of_step = best_of(log[name], factor);
  RunSummary::Best average = best_of(log["average/" + name], factor);
  if (std::isnan(average.value) || factor * of_step.value <= factor * average.value) return of_step;
  average.is_average = true;
  return average;
}

/// It says where a run lies, or who watches it.
bool changes_nothing(const std::string& setting) {
  return setting == "out" || setting == "page" || setting == "log" || setting.starts_with("record");
}

/// "bleu" of "valid_bleu".
std::string score_of_series(const std::string& name) { return name.substr(name.find('_') + 1); }

std::string value_of(const PlottedRun& run, const std::string& setting) {
  for (const auto& [name, value] : run.settings) {
    if (name == setting) return value;
  }
  return "";
}

/// In quotes where it has a comma, quotes or a line break.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::vector<std::string> score_names(const StepSeries& log) {
  std::vector<std::string> names;
  for (const auto& [name, series] : log.all()) {
    if (name.starts_with("valid_") && name != "valid_loss") names.push_back(name);
  }
  return names;
}

std::string score_label(const std::string& name) {
  const std::string score = score_of_series(name);
  const std::vector<std::string> metrics = metric_names();
  const bool is_metric = std::find(metrics.begin(), metrics.end(), score) != metrics.end();
  return is_metric ? metric_config(score)->metric().name : score == "f1" ? "F1" : score;
}

const Series& training_loss(const StepSeries& log) {
  const Series& plain = log["nll"];
  return plain.steps.empty() ? log["loss"] : plain;
}

Series tokens_by_step(const StepSeries& log) {
  Series tokens = log["target_tokens"];
  double sum = 0;
  for (double& value : tokens.values) value = sum += std::isfinite(value) ? value : 0;
  return tokens;
}

RunSummary summary_of(const StepSeries& log) {
  RunSummary summary;
  summary.steps = log.last_step();
  summary.epochs = last_of(log["epoch"]);
  summary.target_tokens = last_of(tokens_by_step(log));
  summary.seconds = last_of(log["seconds"]);
  summary.train_loss = last_of(smoothed(training_loss(log), 100));
  summary.valid_loss = best_or_average(log, "valid_loss", 1);
  summary.last_valid_loss = last_of(log["valid_loss"]);
  for (const std::string& name : score_names(log)) {
    summary.score = score_label(name);
    const double factor = lower_is_better(score_of_series(name)) ? 1 : -1;
    summary.valid_score = best_or_average(log, name, factor);
  }
  summary.tokens_per_second = last_of(log["target_tokens_per_second"]);
  return summary;
}

std::vector<double> recorded_steps(const StepSeries& record) {
  // Every line has something of heads, of norms or of the lens.
  std::vector<double> steps;
  for (const auto& [name, series] : record.all()) {
    if (series.steps.size() > steps.size()) steps = series.steps;
  }
  return steps;
}

std::string to_csv(const std::vector<PlottedRun>& runs) {
  std::string csv = std::string(kCsvColumns) + "\n";
  for (const PlottedRun& run : runs) {
    for (const StepSeries* log : {&run.log, &run.record}) {
      for (const auto& [name, series] : log->all()) {
        for (std::size_t i = 0; i < series.steps.size(); ++i) {
          const double value = series.values[i];
          csv += csv_field(run.name) + "," + shortest(series.steps[i]) + "," + csv_field(name) +
                 "," + (std::isfinite(value) ? shortest(value) : "NaN") + "\n";
        }
      }
    }
  }
  return csv;
}

std::vector<DifferingSetting> differing_settings(const std::vector<PlottedRun>& runs) {
  std::vector<std::string> names;
  for (const PlottedRun& run : runs) {
    for (const auto& [name, value] : run.settings) {
      const bool known = std::find(names.begin(), names.end(), name) != names.end();
      if (!known && !changes_nothing(name)) names.push_back(name);
    }
  }
  std::vector<DifferingSetting> differing;
  for (const std::string& name : names) {
    DifferingSetting setting{name, {}};
    for (const PlottedRun& run : runs) setting.values.push_back(value_of(run, name));
    const bool differs = std::any_of(setting.values.begin(), setting.values.end(),
                                     [&](const std::string& v) { return v != setting.values[0]; });
    if (differs) differing.push_back(std::move(setting));
  }
  return differing;
}

}  // namespace kette
