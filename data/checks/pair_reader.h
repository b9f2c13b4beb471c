// The lines of two files side by side, part by part, with what each shows by itself.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "data/checks/line_facts.h"
#include "data/files/line_reader.h"
#include "data/files/parallel_text.h"

namespace kette {

/// As well-formed UTF-8: U+FFFD is in the place of a byte that belongs to no character.
struct CheckedSide {
  std::vector<std::string> lines;
  std::vector<LineFacts> facts;
  std::map<std::size_t, std::string>
      faults;  ///< of lines that are no UTF-8 or far too long, which come empty
};

class PairReader {
 public:
  /// An Error where the files have not equally many lines.
  explicit PairReader(const ParallelText& text);

  /// The next pairs; false at the end.
  bool next();
  const CheckedSide& source() const { return source_; }
  const CheckedSide& target() const { return target_; }
  std::size_t size() const { return source_.lines.size(); }
  /// The number of the first one.
  std::int64_t first_line() const { return source_reader_.first_line(); }
  /// How much of the text they and those before them are, from 0 to 1.
  double share() const { return source_reader_.share(); }

 private:
  LineReader source_reader_, target_reader_;
  CheckedSide source_, target_;
};

}  // namespace kette
