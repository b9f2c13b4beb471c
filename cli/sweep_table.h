// What the runs of a sweep have come to, as a table: of several seeds means, and how likely runs of the same quality are as
// far apart as two of them (data/metrics/significance.h).
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/sweep_file.h"
#include "data/metrics/score_statistics.h"

namespace kette::cli {

/// A run with the results of the seeds that are done. A result has "parameters", "perplexity", "steps", "seconds" and what
/// came of each evaluation.
struct SweepRow {
  SweepRun run;
  std::vector<nlohmann::ordered_json> results;
  /// Of translations or trees, in the same order, by the key of the evaluation.
  std::map<std::string, std::vector<ScoreStatistics>> scores;
};

/// What came of an evaluation: of a translation model its score, of a parser F1, of a language model its perplexity, of a
/// masked one the pseudo-perplexity; nothing if it has no such number.
std::optional<double> score_of(const nlohmann::ordered_json& evaluation);
/// As Markdown.
std::string sweep_table(const SweepFile& file, const std::vector<SweepRow>& rows);
/// By the runs' names: the means, "against", and all results; null where there is none. Score and "against" of an
/// evaluation with a name stand under its key.
nlohmann::ordered_json sweep_json(const SweepFile& file, const std::vector<SweepRow>& rows);

}  // namespace kette::cli
