// A place in a line of Markdown, where tabs count as columns.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "data/documents/source_lines.h"

namespace kette {

/// A place in a line that knows its column: a tab goes to the next multiple of four.
class MarkdownCursor {
 public:
  MarkdownCursor(std::string_view bytes, SourceLine line)
      : bytes_(bytes), line_(line), at_(line.begin) {}

  std::size_t at() const { return at_; }
  std::size_t end() const { return line_.end; }
  std::size_t column() const { return column_; }
  std::string_view rest() const { return bytes_.substr(at_, line_.end - at_); }
  bool blank() const { return is_blank_line(rest()); }
  /// Columns of white space here; bytes of it.
  std::size_t indent() const {
    MarkdownCursor copy = *this;
    while (copy.at_ < line_.end && (bytes_[copy.at_] == ' ' || bytes_[copy.at_] == '\t'))
      copy.step();
    return copy.column_ - column_;
  }
  std::string_view content() const {
    const std::string_view all = rest();
    return all.substr(std::min(all.find_first_not_of(" \t"), all.size()));
  }
  void skip_bytes(std::size_t count) {
    for (const std::size_t goal = at_ + count; at_ < goal;) step();
  }
  /// Skips only part of a tab that reaches further.
  void skip_columns(std::size_t count) {
    for (const std::size_t goal = column_ + count; column_ < goal && at_ < line_.end;) {
      if (bytes_[at_] != '\t' || next_stop() <= goal) {
        step();
      } else {
        column_ = goal;
      }
    }
  }
  void skip_indent() { skip_bytes(rest().size() - content().size()); }

 private:
  std::size_t next_stop() const { return (column_ / 4 + 1) * 4; }
  void step() {
    column_ = bytes_[at_] == '\t' ? next_stop() : column_ + 1;
    ++at_;
  }

  std::string_view bytes_;
  SourceLine line_;
  std::size_t at_, column_ = 0;
};

}  // namespace kette
