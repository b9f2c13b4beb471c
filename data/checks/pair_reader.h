// Reads the lines of two files in parallel, in parts, with the facts of each line.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "data/checks/pair_oddities.h"
#include "data/files/line_reader.h"

namespace kette {

/// Lines as well-formed UTF-8: U+FFFD replaces a byte that belongs to no character.
struct CheckedSide {
  std::vector<std::string> lines{};
  std::vector<LineFacts> facts{};
  /// The errors of lines that are not UTF-8, or far too long and therefore empty.
  std::map<std::size_t, std::string> faults{};

  CheckedSide() = default;
  CheckedSide(std::vector<std::string> lines, const std::vector<LineFault>& faults);
  CheckedLine operator[](std::size_t i) const;
};

struct CheckedPairs {
  CheckedSide source, target;
  std::int64_t first_line = 1;

  std::size_t size() const { return source.lines.size(); }
  CheckedPair operator[](std::size_t i) const {
    return {first_line + static_cast<std::int64_t>(i), source[i], target[i]};
  }
};

class PairReader {
 public:
  explicit PairReader(const ParallelText& text);

  /// The next pairs; none at the end. An Error if the targets end before the sources.
  CheckedPairs next();
  /// The share of the text read so far, 0 to 1.
  double share() const { return source_reader_.share(); }

 private:
  LineReader source_reader_, target_reader_;
};

}  // namespace kette
