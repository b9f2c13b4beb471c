#include "data/sentences/text_units.h"

#include <algorithm>

#include "data/files/unicode.h"
#include "data/files/utf8.h"

namespace kette {
namespace {

enum class Unit : unsigned char { blank, letter, digit, alone, attached, mark };

struct UnitCharacter {
  Unit kind;
  std::size_t bytes;
  char32_t code_point;
};

/// Scripts without spaces between words: Thai, Lao, Burmese, Khmer; Han, Kana.
bool is_written_together(char32_t c) {
  return (c >= 0x0E00 && c <= 0x0EFF) || (c >= 0x1000 && c <= 0x109F) ||
         (c >= 0x1780 && c <= 0x17FF) || (c >= 0x3040 && c <= 0x30FF) ||
         (c >= 0x3400 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF) ||
         (c >= 0x20000 && c <= 0x3FFFF);
}

UnitCharacter unit_character(std::string_view text, std::size_t at) {
  const auto [c, bytes] = utf8_character(text, at);
  if (bytes == 0) return {Unit::mark, 1, 0};
  if (is_white_space(c)) return {Unit::blank, bytes, c};
  if (is_nonspacing_mark(c) || c == 0x200D || c == 0x200C || c == 0x00AD) {
    return {Unit::attached, bytes, c};
  }
  if (is_letter(c)) return {is_written_together(c) ? Unit::alone : Unit::letter, bytes, c};
  if (is_number(c)) return {Unit::digit, bytes, c};
  return {c == U'_' ? Unit::letter : Unit::mark, bytes, c};
}

bool is_ascii_digit(std::string_view text, std::size_t at) {
  return at < text.size() && text[at] >= '0' && text[at] <= '9';
}

/// Bytes of an apostrophe at a place, or 0.
std::size_t apostrophe(std::string_view text, std::size_t at) {
  if (at < text.size() && text[at] == '\'') return 1;
  return text.substr(at, 3) == "\xE2\x80\x99" ? 3 : 0;
}

/// Bytes after the apostrophe of an English contraction, or 0.
std::size_t contraction(std::string_view text, std::size_t at) {
  for (const std::string_view ending : {"s", "t", "d", "m", "re", "ve", "ll"}) {
    if (text.substr(at, ending.size()) != ending) continue;
    const std::size_t end = at + ending.size();
    if (end == text.size()) return ending.size();
    const Unit next = unit_character(text, end).kind;
    if (next != Unit::letter && next != Unit::digit) return ending.size();
  }
  return 0;
}

/// Where a word continues after a mark at `at`; `at` if it does not.
std::size_t behind_inner_mark(std::string_view text, std::size_t at, Unit before) {
  if (before == Unit::digit && is_ascii_digit(text, at - 1) && is_ascii_digit(text, at + 1) &&
      std::string_view(".,:").find(text[at]) != std::string_view::npos) {
    return at + 1;
  }
  const std::size_t bytes = apostrophe(text, at);
  if (bytes == 0 || before != Unit::letter) return at;
  const std::size_t next = at + bytes;
  if (const std::size_t ending = contraction(text, next)) return next + ending;
  if (next < text.size() && unit_character(text, next).kind == Unit::letter) return next;
  return at;
}

}  // namespace

std::vector<TextUnit> text_units(std::string_view text) {
  std::vector<TextUnit> units;
  Unit before = Unit::blank;  // the character that ends at `at`
  for (std::size_t at = 0; at < text.size();) {
    const UnitCharacter c = unit_character(text, at);
    const bool in_word = before == Unit::letter || before == Unit::digit;
    if (c.kind == Unit::attached && before != Unit::blank) {
      units.back().end = at += c.bytes;
      continue;
    }
    if (in_word && (c.kind == Unit::letter || c.kind == Unit::digit)) {
      units.back().end = at += c.bytes;
      before = c.kind;
      continue;
    }
    if (in_word && c.kind == Unit::mark) {
      if (const std::size_t behind = behind_inner_mark(text, at, before); behind != at) {
        // After a French elision another word begins.
        before = before == Unit::digit ? Unit::digit : Unit::alone;
        units.back().end = at = behind;
        continue;
      }
    }
    if (c.kind != Unit::blank) {
      const bool is_word = c.kind != Unit::mark && c.kind != Unit::attached;
      units.push_back({at, at + c.bytes, is_word});
    }
    before = c.kind == Unit::attached ? Unit::mark : c.kind;
    at += c.bytes;
  }
  return units;
}

}  // namespace kette
