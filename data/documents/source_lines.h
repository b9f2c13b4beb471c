// Lines of line-based documents.
#pragma once

#include <cstddef>
#include <string_view>

namespace kette {

/// Returned if a search finds nothing.
inline constexpr std::size_t kNowhere = std::string_view::npos;

/// Bytes [begin, end) of the source.
struct SourceRange {
  std::size_t begin = 0, end = 0;

  std::string_view of(std::string_view bytes) const { return bytes.substr(begin, end - begin); }
};

/// A line ends at LF, CRLF or CR.
struct SourceLine : SourceRange {  ///< the range without the line end
  std::size_t next = 0;            ///< where the next line begins
};
SourceLine line_at(std::string_view bytes, std::size_t begin);

/// After a byte order mark, if any.
std::size_t first_line_begin(std::string_view bytes);

bool is_blank_line(std::string_view line);  ///< only spaces and tabs
std::string_view without_spaces_behind(std::string_view line);

}  // namespace kette
