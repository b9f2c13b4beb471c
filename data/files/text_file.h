// Lines of UTF-8 text from a plain or packed file. A line ends only at LF or CRLF: U+0085 or U+2028
// inside a sentence must not break the pairing of two parallel files. Errors name the file and, if
// there is one, the line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/files/text_source.h"

namespace kette {

/// Lines that share one block of memory. Immutable and cheap to copy.
class TextLines {
 public:
  TextLines() = default;

  /// Cuts content into lines and checks that it is UTF-8. name: for errors ("train.de", "stdin").
  /// Skips a byte order mark at the start. Empty content gives no lines.
  TextLines(std::string content, const std::string& name);

  std::int64_t size() const { return static_cast<std::int64_t>(lines_.size()); }
  bool empty() const { return lines_.empty(); }
  std::string_view operator[](std::int64_t i) const { return lines_[i]; }
  const std::vector<std::string_view>& views() const& { return lines_; }
  void views() && = delete;  // the text would be gone before its lines

 private:
  std::shared_ptr<const std::string> content_;
  std::vector<std::string_view> lines_;
};

/// Reads the rest of a source.
std::string read_all(TextSource& source);

/// The bytes of a whole file (not a pipe), unpacked if it is packed.
std::string read_text(const std::filesystem::path& path);

/// The first bytes of a file on disk, up to `most`; none unless it is a regular file, since reading
/// from a pipe would consume them.
std::string first_bytes(const std::filesystem::path& path, std::size_t most);

/// The lines of a file. An empty file is an Error, and so is exceeding a limit, as soon as it
/// happens.
TextLines read_lines(const std::filesystem::path& path, const LineLimits& limits = {});
/// The lines of a descriptor up to its end, perhaps none. name: for errors.
TextLines read_lines(int descriptor, const std::string& name, const LineLimits& limits = {});

}  // namespace kette
