// Spans in a paragraph of Markdown that depend only on their own characters. Each function takes a
// text and the place where the span would begin, and returns the place after it, or npos.
#pragma once

#include <string>
#include <string_view>

namespace kette {

bool is_markdown_punctuation(char character);  ///< ASCII, which a backslash escapes

/// <https://...>, <name@host>
std::size_t after_autolink(std::string_view text, std::size_t at);
/// https://..., www....
std::size_t after_bare_address(std::string_view text, std::size_t at);
/// The range of the mail address around the '@' at a place; it does not begin before `from`.
struct MailAddress {
  std::size_t begin, end;
};
MailAddress bare_mail_address(std::string_view text, std::size_t at, std::size_t from);

/// "&amp;": the place after it, and its character; `plain` is empty if that is not a single
/// character fit for text.
struct MarkdownEntity {
  std::size_t end;
  std::string plain;
};
MarkdownEntity entity_at(std::string_view text, std::size_t at);

/// [^name]
std::size_t after_footnote_reference(std::string_view text, std::size_t at);

/// Whether a run of emphasis marks can open or close (spec 6.2).
struct Flanks {
  bool can_open = false, can_close = false;
};
Flanks flanks_of(std::string_view text, std::size_t begin, std::size_t end);

}  // namespace kette
