// BLEU, chrF or TER of translations, alone or beside another system's, for `kette bleu` and `kette evaluate`; and how the scores of
// two systems are told apart.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/options.h"
#include "data/metrics/score_statistics.h"
#include "data/metrics/score_tokenizers.h"
#include "data/metrics/ter.h"

namespace kette::cli {

struct ScoringOptions {
  std::string metric = "bleu";
  ScoreTokenizer tokenize = ScoreTokenizer::v13a;
  TerOptions ter;
  bool lowercase = false, confidence = false;

  /// Throws a UsageError where options of TER are given to another metric.
  void check() const;
};

void add_scoring_options(CLI::App& command, ScoringOptions& options);

/// of_sentence: as of a sentence by itself.
ScoreMetric metric_of(const ScoringOptions& options, bool of_sentence = false);

double score_sentence(std::string_view hypothesis, const ScoreLines& references,
                      const ScoringOptions& options);

/// A system to compare with.
struct OtherSystem {
  std::string name;  ///< empty: there is none
  ScoreLines translations;
};

/// Prints the score with its signature on one line, as sacreBLEU prints them; beside another system also
/// that one's, and how likely systems of the same quality are as far apart. Gives what --json says of it.
nlohmann::ordered_json print_scores(const ScoreLines& translations,
                                    const std::vector<ScoreLines>& references,
                                    const OtherSystem& other, const ScoringOptions& options);

/// Prints the score of another system, and how likely systems of the same quality are as far apart as these two. Gives what
/// --json says of it.
nlohmann::ordered_json print_comparison(const ScoreStatistics& system,
                                        const std::string& other_name, const ScoreStatistics& other,
                                        const BootstrapOptions& bootstrap = {});

}  // namespace kette::cli
