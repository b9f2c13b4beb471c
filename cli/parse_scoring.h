// The score of trees as `kette parse-score` and `kette parse` print it.
#pragma once

#include "cli/options.h"
#include "data/files/json_text.h"
#include "data/metrics/parse_score.h"

namespace kette::cli {

/// Adds --punctuation.
Option add_punctuation_option(OptionGroup& group, ParseScoreOptions& options);

/// A table of both blocks, and last signature and score on one line.
void print_parse_score(const ParseScore& score);
Json parse_score_json(const ParseScore& score);

}  // namespace kette::cli
