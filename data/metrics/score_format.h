// How scores are written, in sacreBLEU's forms:
//   signature  nrefs:1|bs:1000|seed:12345|FIELDS OF THE METRIC|version:kette-0.1.0
//   score      41.02   or, with an interval,   41.02 (μ = 41.00 ± 1.71)
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "data/metrics/score_statistics.h"

namespace kette {

/// A number in fixed notation.
std::string fixed_decimals(double number, int decimals);

std::string score_with_interval(double score, const std::optional<ScoreInterval>& interval,
                                int decimals);

/// The fields bs (number of resamples) and seed appear only when there was a bootstrap.
std::string score_signature(std::size_t references, const BootstrapOptions& bootstrap,
                            const std::string& metric_fields);

}  // namespace kette
