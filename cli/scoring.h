// Scores of translations by a metric, and comparison of two systems, for `kette bleu` and `kette evaluate`.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/options.h"
#include "data/metrics/metrics.h"
#include "data/metrics/score_statistics.h"
#include "inspect/report/report.h"

namespace kette::cli {

/// The options for a metric and its settings.
class ScoringOptions {
 public:
  ScoringOptions();

  void add_to(CLI::App& command);
  /// Throws a UsageError if an option does not belong to the metric, or if options do not fit together.
  void check() const;

  const std::string& name() const { return name_; }
  /// of_sentence: for single sentences.
  Metric metric(bool of_sentence = false) const { return config().metric(of_sentence); }
  /// Whether to add the 95 % interval.
  bool confidence() const { return confidence_; }

 private:
  MetricConfig& config() const;

  struct Added {
    Option option;
    std::vector<std::string> metrics;  ///< that have it; it sets the first one's
  };

  std::vector<std::string> names_;
  std::vector<std::unique_ptr<MetricConfig>> configs_;
  std::vector<Added> added_;
  std::string name_;
  bool confidence_ = false;
};

Option add_metric_option(OptionGroup& group, const MetricOption& option);

/// A system to compare with.
struct OtherSystem {
  std::string name;  ///< empty: none
  ScoreLines translations;
};

/// The score and its signature on one line, as sacreBLEU prints them. With another system also report_of_comparison().
/// Warns on stderr about odd texts.
Report report_of_scores(const ScoreLines& translations, const std::vector<ScoreLines>& references,
                        const OtherSystem& other, const ScoringOptions& options);

/// The score of another system, and the probability of such a difference if both are equally good.
Report report_of_comparison(const ScoreStatistics& system, const std::string& other_name,
                            const ScoreStatistics& other, const BootstrapOptions& bootstrap = {});

}  // namespace kette::cli
