// What a corpus score is made of: one row of counts per segment (a line with its references, a tree with gold's). The
// score of a corpus is a function of the sum of its rows; so is the score of any resample of them,
// which gives a confidence interval by bootstrap (P. Koehn, "Statistical Significance Tests for
// Machine Translation Evaluation", 2004): draw as many segments as there are, with replacement.
// They are the segments that sacreBLEU draws (data/metrics/numpy_random.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kette {

using ScoreLines = std::vector<std::string_view>;
using ScoreCounts = std::vector<std::int64_t>;

/// Stands in a reference for a line that it does not have: its data() is null, which that of an empty line never is.
inline constexpr std::string_view kNoReference{};

/// How a metric counts and scores, with all its options.
struct ScoreMetric {
  std::string name;    ///< "chrF2++"
  std::string fields;  ///< of the signature: "case:mixed|eff:yes|..."
  /// The counts of one segment of text; empty where it is of something else. All rows of one metric have the same length.
  std::function<ScoreCounts(const std::u32string& hypothesis,
                            const std::vector<std::u32string>& references)>
      count;
  std::function<double(const ScoreCounts& sum)> score;
  /// What else there is to say of a sum; may be empty.
  std::function<std::string(const ScoreCounts& sum)> details{};
};

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
  ScoreStatistics(ScoreMetric metric, const ScoreLines& hypotheses,
                  const std::vector<ScoreLines>& references);
  /// Of counts that stand already, a row for each segment, at least one; of one reference.
  ScoreStatistics(ScoreMetric metric, const std::vector<ScoreCounts>& rows);

  const ScoreMetric& metric() const { return metric_; }
  std::size_t segments() const { return segments_; }
  /// Of each line; nothing where lines have different numbers of them.
  std::optional<std::size_t> references() const { return references_; }
  ScoreCounts sum() const;
  double score() const { return metric_.score(sum()); }
  /// The scores of the resamples. The same segments are drawn for all systems.
  std::vector<double> resampled(const BootstrapOptions& options) const;
  void add_row(std::size_t row, ScoreCounts& total) const;

 private:
  ScoreMetric metric_;
  std::size_t segments_ = 0;
  std::optional<std::size_t> references_;
  std::size_t width_ = 0;
  ScoreCounts rows_;  // [segments, width]
};

}  // namespace kette
