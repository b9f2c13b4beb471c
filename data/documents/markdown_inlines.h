// Blocks of the paragraphs, headings and cells of Markdown.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "data/documents/inline_text.h"
#include "data/documents/source_lines.h"

namespace kette {

/// The block that lines of the source make; nothing where they have no text. What closes a reference "[text]" or
/// "[text][]" to one of the labels is "][text]" with what it was behind it, "][text]]" or "][text]][]": so it can be
/// written behind another text, and behind this one as it was.
std::optional<InlineText::Found> read_markdown_inlines(std::string_view bytes,
                                                       std::span<const SourceRange> lines,
                                                       const std::set<std::string>& labels);

}  // namespace kette
