// HTML as tags, comments and the text between them, tokenised as in browsers (WHATWG HTML, section
// 13.2.5). Every byte belongs to one token, and no input is an error.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace kette {

struct HtmlToken {
  enum class Kind { text, start, end, other };  ///< other: comments, doctypes, truncated tokens
  Kind kind = Kind::text;
  std::size_t begin = 0, end = 0;
  std::string name{};          ///< of a tag, in lower case
  bool closes_itself = false;  ///< <name/>
};

/// The token that begins at `at`, before the end of the document. in_foreign: inside svg or math,
/// which have CDATA sections.
HtmlToken html_token(std::string_view bytes, std::size_t at, bool in_foreign = false);

/// The end of the raw content that begins at `at`, of an element such as script, style, textarea or
/// title: before its end tag, or at the end of the document.
std::size_t end_of_raw_text(std::string_view bytes, std::size_t at, std::string_view name);

/// The value of a tag's attribute as written; nothing if it has no such attribute.
std::optional<std::string_view> html_attribute(std::string_view tag, std::string_view name);

/// A character reference at an "&".
struct HtmlReference {
  std::size_t bytes = 0;   ///< 0: none; the "&" is text
  std::u32string plain{};  ///< usually one character
};
HtmlReference html_reference(std::string_view bytes, std::size_t at);

}  // namespace kette
