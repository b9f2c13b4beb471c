// Which lines of a parallel corpus become pairs, and why the others do not: nothing is dropped in silence.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "data/checks/odd_pairs.h"
#include "data/checks/pair_filter_options.h"

namespace kette {

struct FilterOptions {
  /// Tokens of the longer side, without begin and end marks.
  std::int64_t max_length = 256;
  /// Tokens of the longer side over those of the shorter; 0 lets every ratio pass.
  double max_ratio = 0;
  /// The positions of a model: a longer side of a pair that the filters keep is an Error with file
  /// and line. 0: no matter.
  std::int64_t must_fit = 0;
  /// So many of the lines that follow each other at most become one pair (data/corpora/line_joiner.h).
  std::int64_t join_lines = 1;
  /// Which odd pairs are left out of files.
  PairFilterOptions odd{};

  /// The most tokens that both limits allow.
  std::int64_t longest() const {
    return must_fit == 0 ? max_length : std::min(max_length, must_fit);
  }
};

struct FilterReport {
  struct Example {
    std::int64_t line, source_tokens, target_tokens;
  };
  struct Dropped {
    std::int64_t count = 0;
    std::vector<Example> examples;  // the first few
  };

  FilterOptions options;
  std::int64_t read = 0;
  std::int64_t kept = 0;
  std::int64_t pairs = 0;  ///< of those kept, where lines are joined
  Dropped empty, too_long, ratio;
  std::vector<OddPairs> odd;  ///< of each oddity that was asked for

  std::int64_t dropped() const { return read - kept; }

  /// Several lines for a person: the counts, the reasons, the first line numbers of each.
  std::string text() const;
};

/// What was read of several texts in all. Line numbers of more than one say nothing, and are left out.
FilterReport sum_of(const std::vector<FilterReport>& reports);

}  // namespace kette
