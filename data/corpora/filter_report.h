// What the filters of a parallel corpus took out, and why: nothing is dropped in silence.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kette {

struct FilterOptions {
  /// Tokens of the longer side, without begin and end marks.
  std::int64_t max_length = 256;
  /// Tokens of the longer side over those of the shorter; 0 lets every ratio pass.
  double max_ratio = 0;
  /// The positions of a model: a longer side of a pair that the filters keep is an Error with file
  /// and line. 0: no matter.
  std::int64_t must_fit = 0;
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
  Dropped empty, too_long, ratio;

  std::int64_t dropped() const { return read - kept; }

  /// Several lines for a person: the counts, the reasons, the first line numbers of each.
  std::string text() const;
};

/// What was read of several texts in all. Line numbers of more than one say nothing, and are left out.
FilterReport sum_of(const std::vector<FilterReport>& reports);

}  // namespace kette
