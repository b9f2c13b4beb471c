// How `kette parse-score` and `kette evaluate` print the score of trees.
#pragma once

#include "data/files/json_text.h"
#include "data/metrics/parse_score.h"

namespace kette::cli {

/// A table of both blocks, and last signature and score on one line.
void print_parse_score(const ParseScore& score);
Json parse_score_json(const ParseScore& score);

}  // namespace kette::cli
