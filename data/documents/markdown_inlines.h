// Makes blocks of Markdown's paragraphs, headings and cells.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "data/documents/inline_text.h"
#include "data/documents/source_lines.h"

namespace kette {

/// The block of some source lines; nothing if they have no text. The closing mark of a reference
/// "[text]" or "[text][]" to one of the labels has the bytes "][text]" followed by the original,
/// "][text]]" or "][text]][]". So it can be written after another text, or after the same text as
/// it was.
std::optional<InlineText::Found> read_markdown_inlines(std::string_view bytes,
                                                       std::span<const SourceRange> lines,
                                                       const std::set<std::string>& labels);

}  // namespace kette
