// Markdown: CommonMark 0.30 with the tables, task items, strikethrough, footnotes and bare addresses of GitHub, formulas,
// and front matter. Paragraphs, headings and cells are blocks. Links keep their destination and title, images their
// text; code, HTML, link definitions and front matter are left as they are.
#pragma once

#include <memory>
#include <string>

#include "data/documents/document.h"

namespace kette {

/// The name stands in errors: bytes that are no text, or a paragraph of more than 4 MiB. Any other text is Markdown.
std::unique_ptr<Document> read_markdown(std::string bytes, const std::string& name);

}  // namespace kette
