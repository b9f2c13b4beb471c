// HTML as tags, comments and the text between them, found as browsers find them (WHATWG HTML, section 13.2.5); every byte
// belongs to one token, and no input is an error.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace kette {

struct HtmlToken {
  enum class Kind { text, start, end, other };  ///< other: comments, doctypes, what is cut off
  Kind kind = Kind::text;
  std::size_t begin = 0, end = 0;
  std::string name{};          ///< of a tag, in lower case
  bool closes_itself = false;  ///< <name/>
};

/// The token at a byte of the document that is not its end. in_foreign: within svg or math, which know CDATA sections.
HtmlToken html_token(std::string_view bytes, std::size_t at, bool in_foreign = false);

/// Where the content ends of an element whose content has no tags (script, style, textarea, title ...) and begins here:
/// before its end tag, or at the end of the document.
std::size_t end_of_raw_text(std::string_view bytes, std::size_t at, std::string_view name);

/// The value of a tag's attribute as it is spelled; nothing where it has none of that name.
std::optional<std::string_view> html_attribute(std::string_view tag, std::string_view name);

std::string lower_ascii(std::string_view text);

/// A character reference: what is at an "&".
struct HtmlReference {
  std::size_t bytes = 0;   ///< 0: none, the "&" is text
  std::u32string plain{};  ///< mostly one character
};
HtmlReference html_reference(std::string_view bytes, std::size_t at);

}  // namespace kette
