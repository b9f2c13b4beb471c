// Scores of translations by a metric, alone or beside another system's, for `kette bleu` and `kette evaluate`; and how the scores
// of two systems are told apart.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/options.h"
#include "data/metrics/metrics.h"
#include "data/metrics/score_statistics.h"
#include "inspect/report/report.h"

namespace kette::cli {

/// A metric of the table, with the options that command lines give it.
class ScoringOptions {
 public:
  ScoringOptions();

  void add_to(CLI::App& command);
  /// Throws a UsageError where options of one metric are given to another, or do not fit together.
  void check() const;

  const std::string& name() const { return name_; }
  /// of_sentence: as of a sentence by itself.
  Metric metric(bool of_sentence = false) const { return config().metric(of_sentence); }
  /// Whether to add the 95 % interval.
  bool confidence() const { return confidence_; }

 private:
  MetricConfig& config() const;

  struct Added {
    Option option;
    std::vector<std::string> metrics;  ///< that take it; it sets that of the first
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
  std::string name;  ///< empty: there is none
  ScoreLines translations;
};

/// The score with its signature on one line, as sacreBLEU prints them; beside another system also that one's, and how
/// likely systems of the same quality are as far apart. What is odd about the texts is said on stderr.
Report report_of_scores(const ScoreLines& translations, const std::vector<ScoreLines>& references,
                        const OtherSystem& other, const ScoringOptions& options);

/// The score of another system, and how likely systems of the same quality are as far apart as these two.
Report report_of_comparison(const ScoreStatistics& system, const std::string& other_name,
                            const ScoreStatistics& other, const BootstrapOptions& bootstrap = {});

}  // namespace kette::cli
