// What the runs of a sweep have come to, as a table: of several seeds means, and how likely runs of the same quality are as
// far apart as two of them (data/metrics/significance.h).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/sweep_file.h"
#include "data/metrics/score_statistics.h"

namespace kette::cli {

/// A run with the results of the seeds that are done. A result has "parameters", "perplexity", "steps", "seconds" and, of
/// what was evaluated, "evaluation".
struct SweepRow {
  SweepRun run;
  std::vector<nlohmann::ordered_json> results;
  std::vector<ScoreStatistics> scores;  ///< of translations, in the same order
};

/// As Markdown.
std::string sweep_table(const std::vector<SweepRow>& rows);
/// By the runs' names: the means, "against", and all results; null where there is none.
nlohmann::ordered_json sweep_json(const std::vector<SweepRow>& rows);

}  // namespace kette::cli
