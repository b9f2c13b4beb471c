// BLEU, chrF or TER of translations, alone or beside another system's, for `kette bleu` and `kette evaluate`; and how the scores of
// two systems are told apart.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/options.h"
#include "data/metrics/bleu.h"
#include "data/metrics/chrf.h"
#include "data/metrics/score_statistics.h"
#include "data/metrics/ter.h"

namespace kette::cli {

struct ScoringOptions {
  std::string metric = "bleu";
  BleuOptions bleu;
  std::string pieces;  ///< name of a tokenizer that takes a model; empty: none of these
  double smooth_value = -1;
  std::int64_t max_ngram_order = 4;
  ChrfOptions chrf;
  std::int64_t char_order = 6, word_order = 0, beta = 2;
  TerOptions ter;
  bool lowercase = false, confidence = false;

  /// Throws a UsageError where options of one metric are given to another, or do not fit together.
  void check() const;
};

/// Adds an option for BLEU's tokenizer. pieces: takes the name where it is one that a model makes.
Option add_tokenizer_option(OptionGroup& group, const std::string& name, ScoreTokenizer& tokenizer,
                            const std::string& help, std::string* pieces = nullptr);

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
