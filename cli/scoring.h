// BLEU or chrF of translations, for `kette bleu` and `kette evaluate`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "cli/options.h"
#include "data/metrics/score_statistics.h"
#include "data/metrics/score_tokenizers.h"

namespace kette::cli {

struct ScoringOptions {
  std::string metric = "bleu";
  ScoreTokenizer tokenize = ScoreTokenizer::v13a;
  bool lowercase = false, confidence = false;
};

void add_scoring_options(CLI::App& command, ScoringOptions& options);

struct ScoreLine {
  std::string text;  ///< signature and score on one line, as sacreBLEU prints them
  double score = 0;
  std::string signature;
};

ScoreLine score_corpus(const ScoreLines& hypotheses, const std::vector<ScoreLines>& references,
                       const ScoringOptions& options);
double score_sentence(std::string_view hypothesis, const ScoreLines& references,
                      const ScoringOptions& options);

}  // namespace kette::cli
