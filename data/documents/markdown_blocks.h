// The block structure of Markdown: CommonMark 0.30 (spec.commonmark.org), with GitHub's tables,
// task items, footnotes and alerts, directives (:::), the admonitions of MkDocs, and front matter.
// Code, link definitions, directives and rules are left out.
//
// The parser is our own, since marks must be cut to the byte. md4c 0.4.8 gives the place of each
// piece of text, but not where a block begins, where the marks between two pieces separate, or
// where an image without text was; cmark gives lines and columns. Searching for marks backwards
// from the pieces would be a second parser.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "data/documents/source_lines.h"

namespace kette {

/// Quotes and lists that nest deeper are text, since each line checks all open ones.
inline constexpr std::size_t kDeepestMarkdown = 64;
inline constexpr std::size_t kLongestMarkdownParagraph = std::size_t{1} << 22;  ///< in bytes

struct MarkdownLeaf {
  enum class Kind : std::uint8_t {
    paragraph,  ///< or an underlined heading: of several lines, none may begin another block
    heading,    ///< after #, or another title in one line
    cell,
    html,      ///< several lines
    directive  ///< a line ":::"
  };
  Kind kind = Kind::paragraph;
  std::size_t first_line = 0, lines = 0;  ///< in MarkdownBlocks::lines
};

struct MarkdownBlocks {
  std::vector<MarkdownLeaf> leaves;
  std::vector<SourceRange> lines;  ///< without their prefixes: indentation, "> ", "- "
  std::set<std::string> labels;    ///< label_key() of each link definition
};

/// Labels of the same definition have the same key.
std::string label_key(std::string_view label);

/// A paragraph that is too long is an Error with its place.
MarkdownBlocks read_markdown_blocks(std::string_view bytes, const std::string& name);

}  // namespace kette
