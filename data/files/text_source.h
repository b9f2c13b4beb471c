// The bytes of a text as they come from a plain or packed file or from a descriptor, counted against
// limits, so that a line without an end or a file of nothing but line ends is refused while little
// of it is in memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>

#include "data/files/packed_file.h"
#include "data/files/text_column.h"

namespace kette {

/// The most that a text may have; without a word there is no limit.
struct LineLimits {
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

  std::int64_t line_bytes = kNone;  ///< of each line, line end not counted
  std::int64_t lines = kNone;
  std::int64_t bytes = kNone;  ///< of all lines, line ends counted
  bool may_be_empty = false;   ///< a file; of a descriptor it is never an error
};

/// The error for a line with more bytes than that.
std::string too_many_bytes(const std::string& name, std::int64_t line, const LineLimits& limits);

class TextSource {
 public:
  /// All of the file that the text is in.
  explicit TextSource(const TextColumn& text, const LineLimits& limits = {});
  /// Reads a file descriptor, which stays open; the name stands in errors.
  TextSource(int descriptor, std::string name, const LineLimits& limits = {});

  /// Appends what comes next, at most a few hundred KiB; false at the end. Passing a limit is an
  /// Error with name and line.
  bool append_to(std::string& text);
  /// Whether append_to() would not wait for others to write. Files never do.
  bool more_is_waiting() const;
  const std::string& name() const { return name_; }
  std::int64_t bytes_read() const { return bytes_; }  ///< of text
  /// How much of a file as it lies on disk has been read, from 0 to 1; 0 of a descriptor, whose end is not known.
  double share_read() const;

 private:
  std::size_t read(char* to, std::size_t most);
  void count(std::string_view bytes);

  std::string name_;
  LineLimits limits_;
  std::optional<PackedFile> file_;
  std::uintmax_t size_ = 0;  // of the file
  int descriptor_ = -1;
  std::int64_t bytes_ = 0, line_ = 1, line_bytes_ = 0;  // read so far; of the current line
};

}  // namespace kette
