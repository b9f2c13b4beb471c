// The pairs of a text with one oddity: their number, and samples.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/checks/oddity.h"

namespace kette {

/// Sides are UTF-8; long ones are cut.
struct PairSample {
  std::int64_t line = 0;  ///< from 1 on
  std::string source, target;
  std::string note;  ///< details: "as train.en:5"; may be empty
};

struct OddPairs {
  Oddity oddity;
  std::int64_t pairs = 0;  ///< with this oddity
  std::int64_t sources = 0,
               targets = 0;         ///< by side; 0 if only a pair can have it
  std::vector<PairSample> samples;  ///< drawn from all of them, by line
};

/// The start of a long line, for a sample.
std::string shortened(const std::string& line);

inline constexpr std::size_t kSamplesLeftOut = 10;
/// Adds `more`, from another part of a text, to `all`, by oddity.
void add_to(std::vector<OddPairs>& all, const std::vector<OddPairs>& more);

}  // namespace kette
