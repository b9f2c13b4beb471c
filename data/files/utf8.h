// Whether bytes are well-formed UTF-8 (Unicode 15, table 3-7): no overlong forms, no surrogates,
// nothing above U+10FFFF; and what is made of those that are not.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kette {

inline constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// The place of the first byte that does not belong, or std::string_view::npos.
std::size_t first_invalid_utf8(std::string_view text);

/// A character and the bytes it takes; 0 bytes where none that is well-formed starts.
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

/// Whether a byte goes on with a character that began before it, in well-formed text.
constexpr bool continues_utf8(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

/// What a model wrote, as a line that can be read again: U+FFFD in the place of a byte that belongs to no character, and a space
/// in that of what ends a line.
std::string as_line(std::string_view text);

/// Bytes at the end of a text that begin a character and do not finish it.
std::size_t unfinished_utf8(std::string_view text);

}  // namespace kette
