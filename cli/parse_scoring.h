// The score of trees as `kette parse-score` and `kette parse` print it.
#pragma once

#include <vector>

#include "cli/options.h"
#include "data/files/json_fwd.h"
#include "data/metrics/parse_score.h"

namespace kette::cli {

/// Adds --punctuation and --parameters, which are returned.
std::vector<Option> add_parse_scoring_options(OptionGroup& group, ParseScoreOptions& options);

/// A table of both blocks, and last signature and score on one line; on stderr what is to be known of them.
void print_parse_score(const ParseScore& score);
Json parse_score_json(const ParseScore& score);

}  // namespace kette::cli
