#include "data/metrics/significance.h"

#include <algorithm>
#include <cmath>

#include "data/metrics/numpy_random.h"
#include "tensor/error.h"

namespace kette {
namespace {

/// statistics: of each draw how far apart the systems are in it.
double p_of(const std::vector<double>& statistics, double difference) {
  const auto farther = std::count_if(statistics.begin(), statistics.end(), [&](double statistic) {
    return statistic > std::abs(difference);
  });
  return static_cast<double>(farther + 1) / static_cast<double>(statistics.size() + 1);
}

bool is_zero(double value) { return value == 0; }

double paired_randomisation_p(const ScoreStatistics& a, const ScoreStatistics& b, int trials,
                              std::uint64_t seed) {
  KETTE_CHECK(trials > 0, "approximate randomisation: expected at least one trial, given ", trials);
  NumpyRandom random(seed);
  std::vector<double> distances;
  for (int trial = 0; trial < trials; ++trial) {
    ScoreCounts one, other;
    for (std::size_t segment = 0; segment < a.segments(); ++segment) {
      const bool stays = random.coin();
      a.add_row(segment, stays ? one : other);
      b.add_row(segment, stays ? other : one);
    }
    distances.push_back(std::abs(a.metric().score(one) - a.metric().score(other)));
  }
  const double difference = a.score() - b.score();
  if (difference == 0 && std::all_of(distances.begin(), distances.end(), is_zero)) return 1;
  return p_of(distances, difference);
}

}  // namespace

SignificanceTests test_significance(const ScoreStatistics& a, const ScoreStatistics& b,
                                    const SignificanceOptions& options) {
  KETTE_CHECK(a.segments() == b.segments(),
              "significance: expected as many lines of both systems, given ", a.segments(), " and ",
              b.segments());
  std::vector<double> differences = a.resampled({options.resamples, options.seed});
  const std::vector<double> others = b.resampled({options.resamples, options.seed});
  for (std::size_t i = 0; i < differences.size(); ++i) differences[i] -= others[i];
  return {paired_bootstrap_p(differences, a.score() - b.score()),
          paired_randomisation_p(a, b, options.trials, options.seed)};
}

double paired_bootstrap_p(const std::vector<double>& differences, double difference) {
  KETTE_CHECK(!differences.empty(), "bootstrap: expected at least one sample, given none");
  if (difference == 0 && std::all_of(differences.begin(), differences.end(), is_zero)) return 1;
  double mean = 0;
  for (const double sample : differences) mean += std::abs(sample);
  mean /= static_cast<double>(differences.size());
  std::vector<double> statistics;
  for (const double sample : differences) statistics.push_back(std::abs(sample) - mean);
  return p_of(statistics, difference);
}

}  // namespace kette
