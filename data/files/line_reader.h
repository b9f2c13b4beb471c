// Lines of UTF-8 text part by part, in bounded memory: of a plain or gzip file as many as are asked
// for, of a descriptor as many as are there, but never a wait for more once there is one. What a
// line is, and what is refused, is as in data/files/text_file.h.
#pragma once

#include <string>
#include <vector>

#include "data/files/text_source.h"

namespace kette {

class LineReader {
 public:
  static constexpr std::size_t kPartBytes = std::size_t{1} << 24;

  explicit LineReader(const std::filesystem::path& file, const LineLimits& limits = {})
      : source_(file, limits), needs_line_(!limits.may_be_empty) {}
  LineReader(int descriptor, std::string name, const LineLimits& limits = {})
      : source_(descriptor, std::move(name), limits), needs_line_(false) {}

  /// The next lines, at most `most`, and none more once they have `most_bytes`; none at the end. A
  /// file without any line is an Error, unless it may be empty.
  std::vector<std::string> next(std::size_t most, std::size_t most_bytes = kPartBytes);
  /// The number of the first line of the last next().
  std::int64_t first_line() const { return first_line_; }
  const std::string& name() const { return source_.name(); }
  /// How much of a file the lines so far are, from 0 to 1; 0 of a descriptor.
  double share() const;

 private:
  void take_lines(std::vector<std::string>& lines, std::size_t most, std::size_t& room);
  std::string checked(std::string line) const;
  void fill();

  TextSource source_;
  bool needs_line_;
  std::string buffer_, start_;  // what was read and not taken; the first bytes of all
  std::size_t begin_ = 0;       // where in the buffer the next line begins
  std::size_t searched_ = 0;    // bytes of the buffer known to hold no line end
  bool at_end_ = false;
  std::int64_t first_line_ = 1, next_line_ = 1;
};

}  // namespace kette
