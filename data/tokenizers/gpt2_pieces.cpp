#include "data/tokenizers/gpt2_pieces.h"

#include <algorithm>
#include <array>

#include "data/files/unicode.h"
#include "data/files/utf8.h"

namespace kette {
namespace {

enum class Kind : unsigned char { letter, number, space, other, not_ascii };

constexpr bool is_ascii_space(char byte) { return byte == ' ' || (byte >= '\t' && byte <= '\r'); }

constexpr std::array<Kind, 256> kinds_of_bytes() {
  std::array<Kind, 256> kinds{};
  for (int i = 0; i < 256; ++i) {
    const int lower = i | 0x20;
    kinds[i] = i >= 0x80                              ? Kind::not_ascii
               : lower >= 'a' && lower <= 'z'         ? Kind::letter
               : i >= '0' && i <= '9'                 ? Kind::number
               : is_ascii_space(static_cast<char>(i)) ? Kind::space
                                                      : Kind::other;
  }
  return kinds;
}
constexpr std::array<Kind, 256> kKinds = kinds_of_bytes();

struct Character {
  Kind kind;
  std::size_t bytes;
};

Character wide_character(std::string_view text, std::size_t at) {
  const Utf8Character character = utf8_character(text, at);
  if (character.bytes == 0) return {Kind::other, 1};
  const char32_t code_point = character.code_point;
  if (is_letter(code_point)) return {Kind::letter, character.bytes};
  if (is_number(code_point)) return {Kind::number, character.bytes};
  return {is_white_space(code_point) ? Kind::space : Kind::other, character.bytes};
}

Character character_at(std::string_view text, std::size_t at) {
  const Kind kind = kKinds[static_cast<unsigned char>(text[at])];
  return kind == Kind::not_ascii ? wide_character(text, at) : Character{kind, 1};
}

/// Bytes of the contraction at an apostrophe, 0 when there is none.
std::size_t contraction(std::string_view rest) {
  const char first = rest.size() > 1 ? rest[1] : '\0', second = rest.size() > 2 ? rest[2] : '\0';
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
  const bool two = (first == 'r' && second == 'e') || (first == 'v' && second == 'e') ||
                   (first == 'l' && second == 'l');
  return two ? 3 : 0;
}

/// The end of white space that starts at `at`, without its last character if a word follows.
std::size_t space_end(std::string_view text, std::size_t at) {
  std::size_t last = at, end = at;
  while (end < text.size()) {
    const Character character = character_at(text, end);
    if (character.kind != Kind::space) return last > at ? last : end;
    last = end;
    end += character.bytes;
  }
  return end;
}

}  // namespace

std::size_t gpt2_piece_end(std::string_view text, std::size_t at) {
  if (text[at] == '\'') {
    const std::size_t bytes = contraction(text.substr(at));
    if (bytes > 0) return at + bytes;
  }
  Character character = character_at(text, at);
  std::size_t end = at + character.bytes;
  if (character.kind == Kind::space) {
    if (text[at] != ' ' || end == text.size()) return space_end(text, at);
    character = character_at(text, end);
    if (character.kind == Kind::space) return space_end(text, at);
    end += character.bytes;
  }
  const Kind kind = character.kind;
  while (end < text.size()) {
    character = character_at(text, end);
    if (character.kind != kind) break;
    end += character.bytes;
  }
  return end;
}

std::size_t gpt2_safe_cut(std::string_view text, std::size_t at) {
  const auto is_solid = [](char byte) {
    const Kind kind = kKinds[static_cast<unsigned char>(byte)];
    return kind != Kind::space && kind != Kind::not_ascii;
  };
  for (at = std::max<std::size_t>(at, 1); at < text.size(); ++at) {
    if (is_ascii_space(text[at]) && is_solid(text[at - 1])) return at;
  }
  return text.size();
}

}  // namespace kette
