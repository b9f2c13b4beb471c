// What a corpus score is made of: one row of counts per segment (a line with its references). The
// score of a corpus is a function of the sum of its rows; so is the score of any resample of them,
// which gives a confidence interval by bootstrap (P. Koehn, "Statistical Significance Tests for
// Machine Translation Evaluation", 2004): draw as many segments as there are, with replacement.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kette {

using ScoreLines = std::vector<std::string_view>;
using ScoreCounts = std::vector<std::int64_t>;

/// How many resamples to draw; fewer than two give no interval.
struct BootstrapOptions {
  int samples = 0;
  std::uint64_t seed = 12345;
};

/// The 95 % interval of the resampled scores: half its width, and their mean.
struct ScoreInterval {
  double mean = 0;
  double half_width = 0;
};

class ScoreStatistics {
 public:
  /// The counts of one segment. All rows of one metric have the same length.
  using Count = std::function<ScoreCounts(const std::u32string& hypothesis,
                                          const std::vector<std::u32string>& references)>;

  /// Counts line i of the hypotheses against line i of every reference. The metric's name stands in
  /// errors: no lines, different numbers of lines, or a line that is not UTF-8.
  ScoreStatistics(const std::string& metric, const ScoreLines& hypotheses,
                  const std::vector<ScoreLines>& references, const Count& count);

  ScoreCounts sum() const;
  using Score = std::function<double(const ScoreCounts&)>;
  ScoreInterval bootstrap(const BootstrapOptions& options, const Score& score) const;
  /// The scores of the resamples. The same segments are drawn for all systems.
  std::vector<double> resampled(const BootstrapOptions& options, const Score& score) const;

 private:
  void add_row(std::size_t row, ScoreCounts& total) const;

  std::size_t segments_ = 0;
  std::size_t width_ = 0;
  ScoreCounts rows_;  // [segments, width]
};

/// How likely it is that two systems of the same quality are found as far apart as `difference`, from the
/// differences of their scores in each resample, shifted to a mean of 0 (Riezler and Maxwell 2005, figure
/// 3): (those at least as large + 1) / (samples + 1).
double paired_bootstrap_p(const std::vector<double>& differences, double difference);

}  // namespace kette
