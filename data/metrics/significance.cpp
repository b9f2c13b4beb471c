#include "data/metrics/significance.h"

#include <algorithm>
#include <cmath>

#include "data/metrics/numpy_random.h"
#include "tensor/error.h"

namespace kette {
namespace {

/// statistics: the difference of the systems in each draw.
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

/// The mean score of the systems, and of each resample.
struct MeanScore {
  double score = 0;
  std::vector<double> resampled;

  MeanScore(std::span<const ScoreStatistics> systems, const SignificanceOptions& options) {
    const double share = 1 / static_cast<double>(systems.size());
    for (const ScoreStatistics& system : systems) {
      score += share * system.score();
      const std::vector<double> scores = system.resampled({options.resamples, options.seed});
      resampled.resize(scores.size());
      for (std::size_t i = 0; i < scores.size(); ++i) resampled[i] += share * scores[i];
    }
  }
};

}  // namespace

SignificanceTests test_significance(const ScoreStatistics& a, const ScoreStatistics& b,
                                    const SignificanceOptions& options) {
  return {paired_bootstrap_p({&a, 1}, {&b, 1}, options),
          paired_randomisation_p(a, b, options.trials, options.seed)};
}

double paired_bootstrap_p(std::span<const ScoreStatistics> a, std::span<const ScoreStatistics> b,
                          const SignificanceOptions& options) {
  KETTE_CHECK(!a.empty() && !b.empty(),
              "significance: expected at least one system of each kind, given none");
  for (const std::span<const ScoreStatistics> kind : {a, b}) {
    for (const ScoreStatistics& system : kind) {
      KETTE_CHECK(system.segments() == a[0].segments(),
                  "significance: expected as many lines of all systems, given ", a[0].segments(),
                  " and ", system.segments());
    }
  }
  const MeanScore one(a, options), other(b, options);
  std::vector<double> differences;
  for (std::size_t i = 0; i < one.resampled.size(); ++i) {
    differences.push_back(one.resampled[i] - other.resampled[i]);
  }
  return paired_bootstrap_p(differences, one.score - other.score);
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
