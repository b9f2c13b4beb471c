// A corpus score and its text, in sacreBLEU's formats:
//   signature  nrefs:1|bs:1000|seed:12345|FIELDS OF THE METRIC|version:kette-0.1.0
//              (nrefs:var if lines have different numbers of references)
//   score      41.02   or, with an interval,   41.02 (μ = 41.00 ± 1.71)
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "data/metrics/score_statistics.h"

namespace kette {

/// A number in fixed notation.
std::string fixed_decimals(double number, int decimals);

struct CorpusScore {
  std::string name;  ///< "BLEU", "chrF2++"
  double score = 0;
  std::optional<ScoreInterval> interval;
  std::string details;  ///< of the metric; may be empty
  std::string signature;

  /// "chrF2 = 63.10"; with the signature "chrF2|nrefs:1|... = 63.10".
  std::string format(int decimals = 2, bool with_signature = false) const;
};

CorpusScore corpus_score(const ScoreStatistics& statistics, const BootstrapOptions& bootstrap = {});

/// test: "bs" (draws: resamples) or "ar" (trials). Test and seed are left out if nothing is drawn.
std::string score_signature(const ScoreStatistics& statistics, const std::string& test, int draws,
                            std::uint64_t seed);

}  // namespace kette
