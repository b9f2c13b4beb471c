// Whether bytes are well-formed UTF-8 (Unicode 15, table 3-7): no overlong forms, no surrogates,
// nothing above U+10FFFF; and repair of bytes that are not.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kette {

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// The offset of the first invalid byte, or std::string_view::npos.
std::size_t first_invalid_utf8(std::string_view text);

/// A character and its number of bytes; 0 if no well-formed one starts here.
struct Utf8Character {
  char32_t code_point = 0;
  std::size_t bytes = 0;
};
Utf8Character utf8_character(std::string_view text, std::size_t at);

/// Bytes of the character that starts with this byte, in well-formed text.
constexpr std::size_t utf8_length(char first) {
  const auto byte = static_cast<unsigned char>(first);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

/// Whether a byte continues a character, in well-formed text.
constexpr bool continues_utf8(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

/// How many characters well-formed text has.
std::size_t characters_in(std::string_view text);

/// A model's output as one line: U+FFFD replaces a byte that belongs to no character, and a space
/// replaces a line end.
std::string as_line(std::string_view text);

/// The text with the letters A to Z in lower case, and a to z in upper case. Other bytes stay.
std::string lower_ascii(std::string_view text);
std::string upper_ascii(std::string_view text);

/// The number of bytes at the end of a text that are an incomplete character.
std::size_t unfinished_utf8(std::string_view text);

}  // namespace kette
