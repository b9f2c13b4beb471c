// Lines of UTF-8 text part by part, in bounded memory: of a plain or packed file as many as are asked
// for, of a descriptor as many as are there, but never a wait for more once there is one. What a
// line is, and what is refused, is as in data/files/text_file.h; the lines before it are given out first.
#pragma once

#include <exception>
#include <string>
#include <vector>

#include "data/files/text_source.h"

namespace kette {

/// What becomes of a line that is not UTF-8 or has too many bytes: an Error, or it comes as all others do, or empty.
enum class FaultyLines : std::uint8_t { refused, kept, emptied };
struct LineFault {
  std::size_t index;    ///< among the lines of a part
  std::string message;  ///< with file, line and byte
};

class LineReader {
 public:
  static constexpr std::size_t kPartBytes = std::size_t{1} << 24;

  /// A line that has too few columns for the text is an Error; what the others hold is never looked at.
  explicit LineReader(const TextColumn& text, const LineLimits& limits = {},
                      FaultyLines faulty = FaultyLines::refused)
      : source_(text, of_source(limits, faulty)),
        column_(text.column),
        limits_(limits),
        needs_line_(!limits.may_be_empty),
        faulty_(faulty) {}
  LineReader(int descriptor, std::string name, const LineLimits& limits = {},
             FaultyLines faulty = FaultyLines::refused)
      : source_(descriptor, std::move(name), of_source(limits, faulty)),
        limits_(limits),
        faulty_(faulty) {}

  /// The next lines, at most `most`, and none more once they have `most_bytes`; none at the end. A
  /// file without any line is an Error, unless it may be empty.
  std::vector<std::string> next(std::size_t most, std::size_t most_bytes = kPartBytes);
  /// Of the last next(), where faulty lines are no Error: what is wrong with which. One with too many bytes comes empty.
  const std::vector<LineFault>& faults() const { return faults_; }
  /// The number of the first line of the last next().
  std::int64_t first_line() const { return first_line_; }
  const std::string& name() const { return source_.name(); }
  /// How much of a file the lines so far are, from 0 to 1; 0 of a descriptor.
  double share() const;

 private:
  /// One that takes faulty lines counts their bytes itself.
  static LineLimits of_source(LineLimits limits, FaultyLines faulty) {
    if (faulty != FaultyLines::refused) limits.line_bytes = LineLimits::kNone;
    return limits;
  }
  void take_lines(std::vector<std::string>& lines, std::size_t most, std::size_t& room);
  std::size_t end_of_line();
  void take(std::vector<std::string>& lines, std::string line);
  std::size_t cut_to_column(std::string& line) const;
  void fill();

  TextSource source_;
  std::int64_t column_ = 0;
  LineLimits limits_;
  bool needs_line_ = false;
  FaultyLines faulty_;
  std::vector<LineFault> faults_;
  std::int64_t dropped_ = 0;    // bytes so far of the current line, which has too many
  std::exception_ptr pending_;  // thrown by the next next()
  std::string buffer_, start_;  // what was read and not taken; the first bytes of all
  std::size_t begin_ = 0;       // where in the buffer the next line begins
  std::size_t searched_ = 0;    // bytes of the buffer known to hold no line end
  bool at_end_ = false;
  std::int64_t first_line_ = 1, next_line_ = 1;
};

}  // namespace kette
