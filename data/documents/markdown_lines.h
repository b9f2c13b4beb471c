// What a line of Markdown may begin: rules, headings, fences, list items, rows. Each function takes
// the line without indentation and line end.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/documents/source_lines.h"

namespace kette {

bool is_thematic_break(std::string_view line);
bool is_setext_underline(std::string_view line);

/// The range of the text of a heading "## text ##" in the line.
std::optional<SourceRange> atx_heading(std::string_view line);

struct CodeFence {
  char character = '`';
  std::size_t length = 0, indent = 0;
};
std::optional<CodeFence> code_fence(std::string_view line);
bool closes_fence(std::string_view line, const CodeFence& fence);

/// The bytes of a list marker ("-", "12."); 0: none.
std::size_t list_marker(std::string_view line);
/// The bytes of "[x] " at the begin of an item; 0: none.
std::size_t task_marker(std::string_view line);
/// The bytes of "[^name]:"; 0: none.
std::size_t footnote_marker(std::string_view line);
/// The bytes of an alert's marker, "[!NOTE]" of GitHub or "[!note]-" of Obsidian; 0: none.
std::size_t alert_marker(std::string_view line);
/// Whether the line begins or ends a directive of Docusaurus and others: ":::".
bool is_directive(std::string_view line);
/// The range of the title, which may be empty, of an admonition of MkDocs: !!! note "title".
std::optional<SourceRange> admonition_title(std::string_view line);

/// Which of the seven kinds of HTML block begins here (spec 4.6); 0: none.
int html_block(std::string_view line);
/// Whether an HTML block ends with this line; kinds 6 and 7 end before a blank line.
bool ends_html_block(int kind, std::string_view line);
/// The bytes of an HTML tag at the begin; 0: none.
std::size_t html_tag(std::string_view text);

/// The number of columns of "|---|:-:|"; 0 for any other line.
std::size_t delimiter_columns(std::string_view line);
std::vector<SourceRange> row_cells(std::string_view line);

/// The bytes of link definitions "[label]: destination 'title'" at the begin of a paragraph's text;
/// also returns their labels.
std::size_t link_definitions(std::string_view text, std::vector<std::string_view>& labels);
/// The place after a part of a link that begins at `at`, or npos. A label is in brackets.
std::size_t after_label(std::string_view text, std::size_t at);
std::size_t after_destination(std::string_view text, std::size_t at);
std::size_t after_title(std::string_view text, std::size_t at);

}  // namespace kette
