// The score of trees as `kette parse-score` and `kette parse` print it.
#pragma once

#include <vector>

#include "cli/options.h"
#include "data/metrics/parse_score.h"
#include "inspect/report/report.h"

namespace kette::cli {

/// Adds --punctuation and --parameters, which are returned.
std::vector<Option> add_parse_scoring_options(OptionGroup& group, ParseScoreOptions& options);

/// A table of sentences of all lengths beside short ones, and last signature and score on one line; on stderr what is to
/// be known of them.
Report to_report(const ParseScore& score);

}  // namespace kette::cli
