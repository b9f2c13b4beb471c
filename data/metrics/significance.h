// Whether two systems differ, or only in what they were tested on: how likely it is that systems of the same
// quality are found as far apart. Both tests are of the same segments for both systems, and equal sacreBLEU's
// (--paired-bs and --paired-ar) from the same seed:
//   paired bootstrap resampling (Koehn 2004; Riezler and Maxwell 2005, figure 3)
//     p = (resamples with |a - b| - mean |a - b| > |A - B|, plus 1) / (resamples + 1)
//   paired approximate randomisation (Riezler and Maxwell 2005, figure 1): in each trial, every segment's
//   two translations change sides or not, by the throw of a coin
//     p = (trials with |a - b| > |A - B|, plus 1) / (trials + 1)
// a, b: scores of a resample or trial; A, B: of the corpus. The bootstrap looks at one tail, so its p is about
// half of the other's. Systems that nowhere differ have p = 1 (sacreBLEU: the least there is).
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

/// Of two systems, which were scored against the same references by the same metric.
struct SignificanceTests {
  double bootstrap_p = 1, randomisation_p = 1;
};
SignificanceTests test_significance(const ScoreStatistics& a, const ScoreStatistics& b,
                                    const SignificanceOptions& options = {});

/// Of two kinds of systems, each trained from several seeds: of the means of their scores. All were scored alike.
double paired_bootstrap_p(std::span<const ScoreStatistics> a, std::span<const ScoreStatistics> b,
                          const SignificanceOptions& options = {});

/// differences: a - b in each resample; difference: A - B.
double paired_bootstrap_p(const std::vector<double>& differences, double difference);

}  // namespace kette
