// The block structure of Markdown: CommonMark 0.30 (spec.commonmark.org), with the tables, task items and footnotes of
// GitHub, and front matter. What is no text (code, HTML, link definitions, rules) is left out.
//
// The parser is our own: md4c 0.4.8 tells of each piece of text where it stands, but not where a block begins, where
// the marks between two pieces part, or where an image without text was, and cmark tells lines and columns. Marks must be
// cut to the byte; to search for them backwards from the pieces would be a second parser.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "data/documents/source_lines.h"

namespace kette {

/// Quotes and lists deeper than this are read as text: each line asks all that are open.
inline constexpr std::size_t kDeepestMarkdown = 64;
inline constexpr std::size_t kLongestMarkdownParagraph = std::size_t{1} << 22;  ///< in bytes

struct MarkdownLeaf {
  enum class Kind : std::uint8_t {
    paragraph,  ///< or an underlined heading: a line may be followed by another, and is no other block by its begin
    heading,  ///< behind #
    cell
  };
  Kind kind = Kind::paragraph;
  std::size_t first_line = 0, lines = 0;  ///< in MarkdownBlocks::lines
};

struct MarkdownBlocks {
  std::vector<MarkdownLeaf> leaves;
  std::vector<SourceRange> lines;  ///< without what they begin with: indentation, "> ", "- "
  std::set<std::string> labels;    ///< of link definitions, as label_key() makes them
};

/// Labels that name the same definition have one key.
std::string label_key(std::string_view label);

/// An Error tells the place of a paragraph that is too long.
MarkdownBlocks read_markdown_blocks(std::string_view bytes, const std::string& name);

}  // namespace kette
