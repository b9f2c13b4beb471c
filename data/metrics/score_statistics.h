// The statistics of a corpus score: one row of counts per segment (a line with its references, a
// tree with gold's). The corpus score is a function of the sum of all rows, and so is the score of
// a resample. That gives a confidence interval by bootstrap (P. Koehn, "Statistical Significance
// Tests for Machine Translation Evaluation", 2004): draw as many segments as there are, with
// replacement. The draws are sacreBLEU's (data/metrics/numpy_random.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "data/metrics/metric.h"

namespace kette {

/// The number of resamples; fewer than two give no interval.
struct BootstrapOptions {
  std::int64_t samples = 0;
  std::uint64_t seed = 12345;
};

/// The 95 % interval of the resampled scores: their mean and half the interval's width.
struct ScoreInterval {
  double mean = 0;
  double half_width = 0;
};
ScoreInterval interval_of(std::vector<double> scores);

class ScoreStatistics {
 public:
  /// Counts line i of the hypotheses against line i of every reference that has it. Errors, with
  /// the metric's name: no lines, different numbers of lines, a line without a reference, or not
  /// UTF-8.
  ScoreStatistics(Metric metric, const ScoreLines& hypotheses,
                  const std::vector<ScoreLines>& references);
  /// From given counts, one row per segment, at least one; with one reference.
  ScoreStatistics(Metric metric, const std::vector<ScoreCounts>& rows);

  const Metric& metric() const { return metric_; }
  std::size_t segments() const { return segments_; }
  /// The number of references of each line; nothing if lines differ.
  std::optional<std::size_t> references() const { return references_; }
  ScoreCounts sum() const;
  double score() const { return metric_.score(sum()); }
  /// The scores of the resamples. All systems get the same draws.
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
