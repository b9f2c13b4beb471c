// What a corpus score is made of: one row of counts per segment (a line with its references, a tree with gold's). The
// score of a corpus is a function of the sum of its rows; so is the score of any resample of them,
// which gives a confidence interval by bootstrap (P. Koehn, "Statistical Significance Tests for
// Machine Translation Evaluation", 2004): draw as many segments as there are, with replacement.
// They are the segments that sacreBLEU draws (data/metrics/numpy_random.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "data/metrics/metric.h"

namespace kette {

/// How many resamples to draw; fewer than two give no interval.
struct BootstrapOptions {
  std::int64_t samples = 0;
  std::uint64_t seed = 12345;
};

/// The 95 % interval of the resampled scores: half its width, and their mean.
struct ScoreInterval {
  double mean = 0;
  double half_width = 0;
};
ScoreInterval interval_of(std::vector<double> scores);

class ScoreStatistics {
 public:
  /// Counts line i of the hypotheses against line i of every reference that has it. The metric's name stands in
  /// errors: no lines, different numbers of lines, one without a reference, or one that is not UTF-8.
  ScoreStatistics(Metric metric, const ScoreLines& hypotheses,
                  const std::vector<ScoreLines>& references);
  /// Of counts that stand already, a row for each segment, at least one; of one reference.
  ScoreStatistics(Metric metric, const std::vector<ScoreCounts>& rows);

  const Metric& metric() const { return metric_; }
  std::size_t segments() const { return segments_; }
  /// Of each line; nothing where lines have different numbers of them.
  std::optional<std::size_t> references() const { return references_; }
  ScoreCounts sum() const;
  double score() const { return metric_.score(sum()); }
  /// The scores of the resamples. The same segments are drawn for all systems.
  std::vector<double> resampled(const BootstrapOptions& options) const;
  void add_row(std::size_t row, ScoreCounts& total) const;

 private:
  Metric metric_;
  std::size_t segments_ = 0;
  std::optional<std::size_t> references_;
  std::size_t width_ = 0;
  ScoreCounts rows_;  // [segments, width]
};

}  // namespace kette
