// Lines of documents that are made of lines.
#pragma once

#include <cstddef>
#include <string_view>

namespace kette {

/// What is sought and not there.
inline constexpr std::size_t kNowhere = std::string_view::npos;

/// A part of the source, from one byte up to another.
struct SourceRange {
  std::size_t begin = 0, end = 0;

  std::string_view of(std::string_view bytes) const { return bytes.substr(begin, end - begin); }
};

/// A line ends at LF, CRLF or CR.
struct SourceLine : SourceRange {  ///< what it says, without its line end
  std::size_t next = 0;            ///< where the next line begins
};
SourceLine line_at(std::string_view bytes, std::size_t begin);

/// Behind a byte order mark.
std::size_t first_line_begin(std::string_view bytes);

bool is_blank_line(std::string_view line);  ///< of nothing but spaces and tabs
std::string_view without_spaces_behind(std::string_view line);

}  // namespace kette
