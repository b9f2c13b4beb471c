// Text without markup, line by line: the paragraphs of text files, mails, cells.
#pragma once

#include <functional>
#include <string_view>

#include "data/documents/inline_text.h"
#include "data/documents/source_lines.h"

namespace kette {

std::string as_it_is(std::string_view character);

/// Characters and white space of a line; addresses of pages and of mail stand.
void add_plain_text(InlineText& block, std::string_view bytes, SourceRange range);

/// Makes paragraphs of lines. The sign of a list item ("- ", "2. ") begins one, and is outside.
class Paragraphs {
 public:
  using Sink = std::function<void(InlineText::Found&& found)>;

  Paragraphs(std::string_view bytes, Sink sink)
      : bytes_(bytes), sink_(std::move(sink)), block_(bytes, as_it_is) {}

  void add_line(SourceRange line);
  /// Gives out the paragraph if it has letters.
  void end();

 private:
  std::string_view bytes_;
  Sink sink_;
  InlineText block_;
  std::size_t end_ = 0;  // of its last line
};

}  // namespace kette
