// Reads the bytes of a text from a plain or packed file or from a descriptor. Checks limits while
// reading, so that an endless line or a file of only line ends is refused before it fills memory.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>

#include "data/files/packed_file.h"
#include "data/files/text_column.h"

namespace kette {

/// The most that a text may have; by default unlimited.
struct LineLimits {
  static constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

  std::int64_t line_bytes = kNone;  ///< per line, without line end
  std::int64_t lines = kNone;
  std::int64_t bytes = kNone;  ///< of all lines, with line ends
  bool may_be_empty = false;   ///< for a file; an empty descriptor is never an Error
  bool may_be_zip = false;     ///< for a document that is one, as those of Word are
};

/// The error text for a line with too many bytes.
std::string too_many_bytes(const std::string& name, std::int64_t line, const LineLimits& limits);

class TextSource {
 public:
  /// Reads the whole file, whatever the column.
  explicit TextSource(const TextColumn& text, const LineLimits& limits = {});
  /// Reads a file descriptor, which stays open. name: for errors.
  TextSource(int descriptor, std::string name, const LineLimits& limits = {});

  /// Appends the next bytes, at most a few hundred KiB; false at the end. Exceeding a limit is an
  /// Error with name and line.
  bool append_to(std::string& text);
  /// Whether append_to() would return without waiting for a writer. Always true for files.
  bool more_is_waiting() const;
  const std::string& name() const { return name_; }
  std::int64_t bytes_read() const { return bytes_; }  ///< of text
  /// The share of the file on disk read so far, 0 to 1; 0 for a descriptor, whose end is unknown.
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
