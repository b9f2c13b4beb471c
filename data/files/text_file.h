// Lines of UTF-8 text from a plain or packed file. A line ends at LF or CRLF and nowhere else: U+0085
// or U+2028 inside a sentence must not break the pairing of two parallel files. Every error names
// the file, and the line where there is one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/files/text_source.h"

namespace kette {

/// Lines that share one block of memory. Cheap to copy, never changed.
class TextLines {
 public:
  TextLines() = default;

  /// Cuts content into lines and checks that it is UTF-8; name stands in errors ("train.de",
  /// "stdin"). A byte order mark at the start is skipped. No content gives no lines.
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

/// All that a source still has.
std::string read_all(TextSource& source);

/// The bytes of a whole file, which is no pipe, unpacked if it is packed.
std::string read_text(const std::filesystem::path& path);

/// The first bytes of a file as it lies on disk, as many as there are up to `most`; none of what is no regular file, for a
/// look into a pipe would take from it.
std::string first_bytes(const std::filesystem::path& path, std::size_t most);

/// The lines of such a file. An empty file is an error, and so is passing a limit, as soon as it is
/// passed.
TextLines read_lines(const std::filesystem::path& path, const LineLimits& limits = {});
/// The lines of a descriptor up to its end, maybe none; the name stands in errors.
TextLines read_lines(int descriptor, const std::string& name, const LineLimits& limits = {});

}  // namespace kette
