#include "data/files/utf8.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace kette {
namespace {

/// How many bytes of a well-formed character start at text[at], 0 when none does.
std::size_t well_formed(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const unsigned first = byte(at);
  if (first < 0x80) return 1;
  // Only the second byte has narrower limits after some first bytes; the others are always 80..BF.
  unsigned low = 0x80, high = 0xBF;
  std::size_t length = 0;
  if (first >= 0xC2 && first <= 0xDF) {
    length = 2;
  } else if (first >= 0xE0 && first <= 0xEF) {
    length = 3;
    if (first == 0xE0) low = 0xA0;
    if (first == 0xED) high = 0x9F;
  } else if (first >= 0xF0 && first <= 0xF4) {
    length = 4;
    if (first == 0xF0) low = 0x90;
    if (first == 0xF4) high = 0x8F;
  }
  if (length == 0 || byte(at + 1) < low || byte(at + 1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

}  // namespace

Utf8Character utf8_character(std::string_view text, std::size_t at) {
  const std::size_t length = well_formed(text, at);
  const auto first = static_cast<unsigned char>(length > 0 ? text[at] : 0);
  // The first byte has 7, 5, 4 or 3 bits of the character, every other one 6.
  auto character = static_cast<char32_t>(length < 2 ? first : first & (0x7F >> length));
  for (std::size_t i = 1; i < length; ++i) {
    character = character << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3F);
  }
  return {character, length};
}

std::size_t first_invalid_utf8(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    // Eight ASCII bytes at a time: most of most texts.
    std::uint64_t word = 0;
    if (at + 8 <= text.size()) {
      std::memcpy(&word, text.data() + at, 8);
      if ((word & 0x8080808080808080ull) == 0) {
        at += 8;
        continue;
      }
    }
    const std::size_t length = well_formed(text, at);
    if (length == 0) return at;
    at += length;
  }
  return std::string_view::npos;
}

std::size_t characters_in(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues_utf8(c); }));
}

std::string as_line(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t bytes = well_formed(text, at);
    if (bytes == 0) {
      line += "\uFFFD";
    } else if (text[at] == '\n' || text[at] == '\r') {
      line += ' ';
    } else {
      line += text.substr(at, bytes);
    }
    at += std::max<std::size_t>(bytes, 1);
  }
  return line;
}

std::size_t unfinished_utf8(std::string_view text) {
  constexpr std::size_t kLongest = 4;
  for (std::size_t back = 1; back < kLongest && back <= text.size(); ++back) {
    const char byte = text[text.size() - back];
    if (!continues_utf8(byte)) return utf8_length(byte) > back ? back : 0;
  }
  return 0;
}

std::string lower_ascii(std::string_view text) {
  std::string lower(text);
  for (char& byte : lower) {
    if (byte >= 'A' && byte <= 'Z') byte = static_cast<char>(byte - 'A' + 'a');
  }
  return lower;
}

std::string upper_ascii(std::string_view text) {
  std::string upper(text);
  for (char& byte : upper) {
    if (byte >= 'a' && byte <= 'z') byte = static_cast<char>(byte - 'a' + 'A');
  }
  return upper;
}

}  // namespace kette
