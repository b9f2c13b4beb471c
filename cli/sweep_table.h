// A table of the results of a sweep: means over seeds, and the probability of such a difference if two runs are equally
// good (data/metrics/significance.h).
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/sweep_file.h"
#include "data/metrics/score_statistics.h"

namespace kette::cli {

/// A run with the results of the finished seeds. A result has "parameters", "perplexity", "steps", "seconds" and the
/// result of each evaluation.
struct SweepRow {
  SweepRun run;
  std::vector<nlohmann::ordered_json> results;
  /// For translations or trees: by the key of the evaluation, in the order of results.
  std::map<std::string, std::vector<ScoreStatistics>> scores;
};

/// The number of a result by its name; nothing if there is none. Of a perplexity null is infinity, which JSON lacks: the
/// loss was so great.
std::optional<double> number_of(const nlohmann::ordered_json& result, const std::string& key);
/// The score of an evaluation: that of a translation model, F1 of a parser, perplexity of a language model,
/// pseudo-perplexity of a masked one; nothing if it has none.
std::optional<double> score_of(const nlohmann::ordered_json& evaluation);
/// As Markdown.
std::string sweep_table(const SweepFile& file, const std::vector<SweepRow>& rows);
/// By run: the means, "against", and all results, or null without a result. Score and "against" of a named evaluation
/// are under its key.
nlohmann::ordered_json sweep_json(const SweepFile& file, const std::vector<SweepRow>& rows);

}  // namespace kette::cli
