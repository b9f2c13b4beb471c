// The lines of two files side by side, part by part, with what each shows by itself.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "data/checks/pair_oddities.h"
#include "data/files/line_reader.h"

namespace kette {

/// Lines as well-formed UTF-8: U+FFFD is in the place of a byte that belongs to no character.
struct CheckedSide {
  std::vector<std::string> lines{};
  std::vector<LineFacts> facts{};
  /// Of lines that are no UTF-8 or far too long, which come empty.
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

  /// The next pairs; none at the end. An Error where the targets end before the sources.
  CheckedPairs next();
  /// How much of the text they and those before them are, from 0 to 1.
  double share() const { return source_reader_.share(); }

 private:
  LineReader source_reader_, target_reader_;
};

}  // namespace kette
