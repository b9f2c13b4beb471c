// The score of trees, for `kette parse-score` and `kette parse`.
#pragma once

#include <vector>

#include "cli/options.h"
#include "data/metrics/parse_score.h"
#include "inspect/report/report.h"

namespace kette::cli {

/// Adds and returns --punctuation and --parameters.
std::vector<Option> add_parse_scoring_options(OptionGroup& group, ParseScoreOptions& options);

/// A table for sentences of all lengths and for short ones; the last line has signature and score. Writes notes to
/// stderr.
Report to_report(const ParseScore& score);

}  // namespace kette::cli
