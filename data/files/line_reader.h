// Reads lines of UTF-8 text in parts, in bounded memory: from a plain or packed file as many as
// requested; from a descriptor those available, without waiting for more once it has one. Lines and
// errors are as in data/files/text_file.h; the lines before an error are returned first.
#pragma once

#include <exception>
#include <string>
#include <vector>

#include "data/files/text_source.h"

namespace kette {

/// A line that is not UTF-8 or has too many bytes is an Error (refused), is returned as it is
/// (kept), or is returned empty (emptied).
enum class FaultyLines : std::uint8_t { refused, kept, emptied };
struct LineFault {
  std::size_t index;    ///< in the part
  std::string message;  ///< with file, line and byte
};

class LineReader {
 public:
  static constexpr std::size_t kPartBytes = std::size_t{1} << 24;

  /// A line with too few columns for the text is an Error; other columns are not checked.
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

  /// The next lines: at most `most`, and no more once they have `most_bytes`; none at the end. A
  /// file without lines is an Error, unless it may be empty.
  std::vector<std::string> next(std::size_t most, std::size_t most_bytes = kPartBytes);
  /// The faulty lines of the last next(), if they are not Errors. One with too many bytes is
  /// returned empty.
  const std::vector<LineFault>& faults() const { return faults_; }
  /// The number of the first line of the last next().
  std::int64_t first_line() const { return first_line_; }
  const std::string& name() const { return source_.name(); }
  /// The share of the file read so far, 0 to 1; 0 for a descriptor.
  double share() const;

 private:
  /// If faulty lines are accepted, the reader counts their bytes itself.
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
  std::int64_t dropped_ = 0;    // bytes so far of a current line that has too many
  std::exception_ptr pending_;  // thrown by the next next()
  std::string buffer_, start_;  // read but not returned yet; the first bytes of the text
  std::size_t begin_ = 0;       // where in the buffer the next line begins
  std::size_t searched_ = 0;    // bytes of the buffer known to have no line end
  bool at_end_ = false;
  std::int64_t first_line_ = 1, next_line_ = 1;
};

}  // namespace kette
