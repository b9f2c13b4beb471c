#include "data/documents/source_lines.h"

#include <algorithm>

#include "data/files/utf8.h"

namespace kette {

SourceLine line_at(std::string_view bytes, std::size_t begin) {
  const std::size_t end = std::min(bytes.find_first_of("\r\n", begin), bytes.size());
  std::size_t next = end;
  if (next < bytes.size()) next += bytes.substr(next).starts_with("\r\n") ? 2 : 1;
  return {{begin, end}, next};
}

std::size_t first_line_begin(std::string_view bytes) {
  return bytes.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
}

bool is_blank_line(std::string_view line) { return line.find_first_not_of(" \t") == line.npos; }

std::string_view without_spaces_behind(std::string_view line) {
  return line.substr(0, line.find_last_not_of(" \t") + 1);
}

}  // namespace kette
