// Whether two systems differ: the probability p that systems of equal quality score as far apart.
// Both tests use the same segments for both systems, and equal sacreBLEU's (--paired-bs and
// --paired-ar) with the same seed:
//   paired bootstrap resampling (Koehn 2004; Riezler and Maxwell 2005, figure 3)
//     p = (resamples with |a - b| - mean |a - b| > |A - B|, plus 1) / (resamples + 1)
//   paired approximate randomisation (Riezler and Maxwell 2005, figure 1): each trial swaps each
//   segment's two translations with probability 1/2
//     p = (trials with |a - b| > |A - B|, plus 1) / (trials + 1)
// a, b: scores of a resample or trial; A, B: of the corpus. The bootstrap is one-tailed, so its p
// is about half of the other's. Identical systems have p = 1 (in sacreBLEU the least p).
#pragma once

#include <span>
#include <vector>

#include "data/metrics/score_statistics.h"

namespace kette {

struct SignificanceOptions {
  int resamples = 1000;
  int trials = 10000;
  std::uint64_t seed = 12345;
};

/// For two systems, scored against the same references by the same metric.
struct SignificanceTests {
  double bootstrap_p = 1, randomisation_p = 1;
};
SignificanceTests test_significance(const ScoreStatistics& a, const ScoreStatistics& b,
                                    const SignificanceOptions& options = {});

/// For two kinds of systems, each trained with several seeds: compares the means of their scores.
/// All are scored alike.
double paired_bootstrap_p(std::span<const ScoreStatistics> a, std::span<const ScoreStatistics> b,
                          const SignificanceOptions& options = {});

/// differences: a - b in each resample; difference: A - B.
double paired_bootstrap_p(const std::vector<double>& differences, double difference);

}  // namespace kette
