// Markdown: CommonMark 0.30 with GitHub's tables, task items, strikethrough, footnotes and bare
// addresses, formulas, alerts, directives (:::), the admonitions of MkDocs, and front matter.
// Paragraphs, headings and cells are blocks, and those of HTML (html_document.h). Links keep their
// destination and title, images their text; code, link definitions, directives and front matter are
// unchanged. notes() has directives with a title, and HTML whose lines have prefixes of a quote.
#pragma once

#include <memory>
#include <string>

#include "data/documents/document.h"

namespace kette {

/// name: for errors: bytes that are not text, or a paragraph above 4 MiB. Any other text is valid.
std::unique_ptr<Document> read_markdown(std::string bytes, const std::string& name);

}  // namespace kette
