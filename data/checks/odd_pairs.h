// Pairs of a text that are odd in one way: how many they are, and some of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/checks/oddity.h"

namespace kette {

/// Sides as UTF-8, long ones cut.
struct PairSample {
  std::int64_t line = 0;  ///< from 1 on
  std::string source, target;
  std::string
      note;  ///< what is odd about it, where that is not plain: "as train.en:5"; may be empty
};

struct OddPairs {
  Oddity oddity;
  std::int64_t pairs = 0;  ///< that have it
  std::int64_t sources = 0,
               targets = 0;  ///< of what a side has by itself: on which; 0 of what only a pair has
  std::vector<PairSample> samples;  ///< drawn from all of them, by line
};

/// The start of a long line, for a sample.
std::string shortened(const std::string& line);

inline constexpr std::size_t kSamplesLeftOut = 10;
/// Adds up what was left out of parts of a text, by oddity.
void add_to(std::vector<OddPairs>& all, const std::vector<OddPairs>& more);

}  // namespace kette
