#include "data/metrics/score_statistics.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <set>

#include "data/files/unicode.h"
#include "data/files/utf8.h"
#include "data/metrics/numpy_random.h"
#include "tensor/error.h"

namespace kette {
namespace {

std::string reference_name(std::size_t index, std::size_t count) {
  return count == 1 ? "reference" : "reference " + std::to_string(index + 1);
}

void check_lines(const std::string& metric, const ScoreLines& hypotheses,
                 const std::vector<ScoreLines>& references) {
  KETTE_CHECK(!references.empty(), metric, ": expected at least one reference, given none");
  KETTE_CHECK(!hypotheses.empty(), metric, ": expected at least one hypothesis line, given none",
              " (is the file or the input empty?)");
  for (std::size_t r = 0; r < references.size(); ++r) {
    KETTE_CHECK(references[r].size() == hypotheses.size(), metric, ": expected ", hypotheses.size(),
                " lines in the ", reference_name(r, references.size()),
                ", as many as there are hypotheses, given ", references[r].size(),
                " (line i of one is scored against line i of the other)");
  }
}

std::u32string decode(const std::string& metric, const std::string& side, std::size_t line,
                      std::string_view text) {
  const std::size_t invalid = first_invalid_utf8(text);
  KETTE_CHECK(invalid == std::string_view::npos, metric, ": expected UTF-8, given ", side, " line ",
              line + 1, " with an invalid byte at place ", invalid + 1,
              " (convert it first, for example with iconv -f ISO-8859-1 -t UTF-8)");
  return decode_utf8(text);
}

}  // namespace

ScoreStatistics::ScoreStatistics(Metric metric, const ScoreLines& hypotheses,
                                 const std::vector<ScoreLines>& references)
    : metric_(std::move(metric)), segments_(hypotheses.size()) {
  check_lines(metric_.name, hypotheses, references);
  std::set<std::size_t> numbers;
  std::vector<std::u32string> decoded;
  for (std::size_t line = 0; line < hypotheses.size(); ++line) {
    decoded.clear();
    for (std::size_t r = 0; r < references.size(); ++r) {
      const std::string_view text = references[r][line];
      if (text.data() == nullptr) continue;
      decoded.push_back(decode(metric_.name, reference_name(r, references.size()), line, text));
    }
    KETTE_CHECK(!decoded.empty(), metric_.name, ": expected a reference of line ", line + 1,
                ", given none (each of the ", references.size(), " lacks it)");
    numbers.insert(decoded.size());
    const ScoreCounts row =
        metric_.count(decode(metric_.name, "hypothesis", line, hypotheses[line]), decoded);
    rows_.insert(rows_.end(), row.begin(), row.end());
  }
  if (numbers.size() == 1) references_ = *numbers.begin();
  width_ = rows_.size() / segments_;
}

ScoreStatistics::ScoreStatistics(Metric metric, const std::vector<ScoreCounts>& rows)
    : metric_(std::move(metric)), segments_(rows.size()), references_(1) {
  KETTE_CHECK(!rows.empty(), metric_.name, ": expected counts of at least one segment, given none");
  width_ = rows.front().size();
  for (const ScoreCounts& row : rows) {
    KETTE_CHECK(row.size() == width_, metric_.name, ": expected ", width_,
                " counts of each segment, as of the first, given ", row.size());
    rows_.insert(rows_.end(), row.begin(), row.end());
  }
}

void ScoreStatistics::add_row(std::size_t row, ScoreCounts& total) const {
  total.resize(width_);
  const std::int64_t* counts = rows_.data() + row * width_;
  for (std::size_t i = 0; i < width_; ++i) total[i] += counts[i];
}

ScoreCounts ScoreStatistics::sum() const {
  ScoreCounts total;
  for (std::size_t row = 0; row < segments_; ++row) add_row(row, total);
  return total;
}

std::vector<double> ScoreStatistics::resampled(const BootstrapOptions& options) const {
  KETTE_CHECK(options.samples > 0, "bootstrap: expected at least one sample, given ",
              options.samples);
  NumpyRandom random(options.seed);
  std::vector<double> scores;
  for (std::int64_t sample = 0; sample < options.samples; ++sample) {
    ScoreCounts total;
    for (std::size_t draw = 0; draw < segments_; ++draw) {
      add_row(random.below(static_cast<std::uint32_t>(segments_)), total);
    }
    scores.push_back(metric_.score(total));
  }
  return scores;
}

ScoreInterval interval_of(std::vector<double> scores) {
  std::sort(scores.begin(), scores.end());
  const std::size_t outside = scores.size() / 40;
  ScoreInterval interval;
  interval.mean =
      std::accumulate(scores.begin(), scores.end(), 0.0) / static_cast<double>(scores.size());
  interval.half_width = 0.5 * (scores[scores.size() - 1 - outside] - scores[outside]);
  return interval;
}

}  // namespace kette
