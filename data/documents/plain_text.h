// Text without markup, line by line: the paragraphs of text files, mails, cells.
#pragma once

#include <functional>
#include <string_view>

#include "data/documents/inline_text.h"
#include "data/documents/source_lines.h"

namespace kette {

std::string as_it_is(std::string_view character);

/// Adds the characters and white space of a line; web and mail addresses become single marks.
void add_plain_text(InlineText& block, std::string_view bytes, SourceRange range);

/// Joins lines to paragraphs. The marker of a list item ("- ", "2. ") begins one and stays outside.
/// A line without letters and digits, such as a rule, is in none. Each cell of a line that begins
/// with "|" is one.
class Paragraphs {
 public:
  using Sink = std::function<void(InlineText::Found&& found)>;

  Paragraphs(std::string_view bytes, Sink sink)
      : bytes_(bytes), sink_(std::move(sink)), block_(bytes, as_it_is) {}

  void add_line(SourceRange line);
  /// Passes the paragraph to the sink if it has letters.
  void end();

 private:
  void add_cells(SourceRange row);

  std::string_view bytes_;
  Sink sink_;
  InlineText block_;
  std::size_t end_ = 0;  // of its last line
};

}  // namespace kette
