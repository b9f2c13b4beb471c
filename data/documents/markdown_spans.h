// Single things within a paragraph of Markdown that are told by their own characters alone. Each function takes a text
// and the place where it would begin, and gives the place behind it, or npos.
#pragma once

#include <string>
#include <string_view>

namespace kette {

bool is_markdown_punctuation(char character);  ///< ASCII, which a backslash escapes

/// <https://...>, <name@host>
std::size_t after_autolink(std::string_view text, std::size_t at);
/// https://..., www....
std::size_t after_bare_address(std::string_view text, std::size_t at);
/// Where the mail address round the '@' at a place begins and ends; begin is not before `from`.
struct MailAddress {
  std::size_t begin, end;
};
MailAddress bare_mail_address(std::string_view text, std::size_t at, std::size_t from);

/// "&amp;": the place behind it, and its character; nothing plain where that is no single one to have in text.
struct MarkdownEntity {
  std::size_t end;
  std::string plain;
};
MarkdownEntity entity_at(std::string_view text, std::size_t at);

/// [^name]
std::size_t after_footnote_reference(std::string_view text, std::size_t at);

/// How a run of emphasis marks stands between words (spec 6.2).
struct Flanks {
  bool can_open = false, can_close = false;
};
Flanks flanks_of(std::string_view text, std::size_t begin, std::size_t end);

}  // namespace kette
