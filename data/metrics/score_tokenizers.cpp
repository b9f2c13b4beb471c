#include "data/metrics/score_tokenizers.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "data/files/unicode.h"

namespace kette {
namespace {

bool is_digit(char32_t character) { return character >= U'0' && character <= U'9'; }
bool is_not_digit(char32_t character) { return !is_digit(character); }
bool is_not_number(char32_t character) { return !is_number(character); }
bool is_stop_or_comma(char32_t character) { return character == U'.' || character == U','; }
bool is_dash(char32_t character) { return character == U'-'; }

/// ASCII punctuation that is split off in any context: all but ' - . and comma. The apostrophe
/// always stays in its word.
bool is_plain_punctuation(char32_t character) {
  return character < 0x7F && character > U' ' && character != U'\'' && !is_dash(character) &&
         !is_stop_or_comma(character) && !is_digit(character) &&
         !(character >= U'A' && character <= U'Z') && !(character >= U'a' && character <= U'z');
}

/// Puts a space on both sides of every character of a kind.
template <class Kind>
std::u32string space_around(std::u32string_view text, Kind kind) {
  std::u32string result;
  result.reserve(2 * text.size());
  for (const char32_t character : text) {
    if (kind(character)) {
      result += {U' ', character, U' '};
    } else {
      result += character;
    }
  }
  return result;
}

enum class Mark { first, second };

/// Puts a space on both sides of the mark in every pair (first, second), as a global regular
/// expression does: pairs do not overlap, the leftmost is taken.
template <class First, class Second>
std::u32string space_in_pairs(std::u32string_view text, First first, Second second, Mark mark) {
  std::u32string result;
  result.reserve(2 * text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (at + 1 == text.size() || !first(text[at]) || !second(text[at + 1])) {
      result += text[at];
      continue;
    }
    if (mark == Mark::first) {
      result += {U' ', text[at], U' ', text[at + 1]};
    } else {
      result += {text[at], U' ', text[at + 1], U' '};
    }
    ++at;
  }
  return result;
}

void replace_all(std::u32string& text, std::u32string_view old, std::u32string_view replacement) {
  std::size_t kept_to = text.find(old);
  if (kept_to == std::u32string::npos) return;
  std::u32string result;
  std::size_t from = 0;
  for (; kept_to != std::u32string::npos; kept_to = text.find(old, from)) {
    result.append(text, from, kept_to - from);
    result += replacement;
    from = kept_to + old.size();
  }
  result.append(text, from);
  text = std::move(result);
}

/// Splits off stops, commas and dashes depending on the digits beside them.
std::u32string set_apart_by_digits(std::u32string_view text) {
  std::u32string apart = space_in_pairs(text, is_not_digit, is_stop_or_comma, Mark::second);
  apart = space_in_pairs(apart, is_stop_or_comma, is_not_digit, Mark::first);
  return space_in_pairs(apart, is_digit, is_dash, Mark::second);
}

/// The Western part of both mteval and Tercom; only Tercom splits off possessives.
std::u32string set_apart_western(std::u32string text, bool possessives) {
  replace_all(text, U"\n", U" ");
  replace_all(text, U"&quot;", U"\"");
  replace_all(text, U"&amp;", U"&");
  replace_all(text, U"&lt;", U"<");
  replace_all(text, U"&gt;", U">");
  text.insert(text.begin(), U' ');
  text.push_back(U' ');
  text = space_around(text, is_plain_punctuation);
  if (possessives) replace_all(text, U"'s ", U" 's ");
  return set_apart_by_digits(text);
}

std::u32string set_apart_13a(std::u32string_view line) {
  std::u32string text(line);
  replace_all(text, U"<skipped>", U"");
  replace_all(text, U"-\n", U"");
  return set_apart_western(std::move(text), false);
}

std::u32string set_apart_intl(std::u32string_view line) {
  std::u32string text = space_in_pairs(line, is_not_number, is_punctuation, Mark::second);
  text = space_in_pairs(text, is_punctuation, is_not_number, Mark::first);
  return space_around(text, is_symbol);
}

bool is_in(char32_t character, std::initializer_list<std::pair<char32_t, char32_t>> ranges) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const auto& range) {
    return character >= range.first && character <= range.second;
  });
}

/// As in sacreBLEU, whose range U+20000 to U+2A6D6 is, for lack of a \U, U+2001 to U+2A6D: it has
/// dashes and arrows, and no ideograph beyond U+FFFF.
bool is_chinese(char32_t character) {
  return is_in(character, {{0x2001, 0x2A6D},
                           {0x2E80, 0x2FDF},
                           {0x2FF0, 0x303F},
                           {0x3100, 0x312F},
                           {0x31A0, 0x31BF},
                           {0x31C0, 0x31EF},
                           {0x3200, 0x4DB5},
                           {0x4E00, 0x9FBB},
                           {0xF900, 0xFA2D},
                           {0xFA30, 0xFA6A},
                           {0xFA70, 0xFAD9},
                           {0xFE10, 0xFE1F},
                           {0xFE30, 0xFE4F},
                           {0xFF00, 0xFFEF}});
}

/// Without mteval's handling of entities and line ends.
std::u32string set_apart_zh(std::u32string_view line) {
  const auto begin = std::find_if_not(line.begin(), line.end(), is_space);
  line.remove_prefix(static_cast<std::size_t>(begin - line.begin()));
  const std::u32string apart = space_around(strip_right(line), is_chinese);
  return set_apart_by_digits(space_around(apart, is_plain_punctuation));
}

bool is_asian_punctuation(char32_t character) {
  return is_in(character, {{0x3001, 0x3002},
                           {0x3008, 0x3011},
                           {0x3014, 0x301F},
                           {0x30FB, 0x30FB},
                           {0xFF01, 0xFF02},
                           {0xFF08, 0xFF09},
                           {0xFF0C, 0xFF0C},
                           {0xFF0E, 0xFF0E},
                           {0xFF1A, 0xFF1B},
                           {0xFF1F, 0xFF1F},
                           {0xFF61, 0xFF65}});
}

/// Ideographs with their strokes and radicals, and enclosed and compatibility characters.
/// sacreBLEU's rule for kana only matches at the start of a line, where it has put a space before,
/// so it never applies.
bool is_ideograph(char32_t character) {
  return is_in(character, {{0x2E80, 0x2EFF},
                           {0x31C0, 0x31EF},
                           {0x3200, 0x4DBF},
                           {0x4E00, 0x9FFF},
                           {0xF900, 0xFAFF},
                           {0xFE30, 0xFE4F}});
}

}  // namespace

std::u32string set_apart_tercom(std::u32string_view line, bool asian) {
  std::u32string text(line);
  replace_all(text, U"\n-", U"");
  text = set_apart_western(std::move(text), true);
  if (!asian) return text;
  return space_around(text, [](char32_t character) {
    return is_ideograph(character) || is_asian_punctuation(character);
  });
}

std::u32string without_tercom_punctuation(std::u32string_view line, bool asian) {
  std::u32string text(line);
  std::erase_if(text, [&](char32_t character) {
    return std::u32string_view(U".,?:;!\"()").find(character) != std::u32string_view::npos ||
           (asian && is_asian_punctuation(character));
  });
  return text;
}

std::u32string set_apart(ScoreTokenizer tokenizer, std::u32string_view line) {
  switch (tokenizer) {
    case ScoreTokenizer::v13a:
      return set_apart_13a(line);
    case ScoreTokenizer::chars:
      return space_around(line, [](char32_t) { return true; });
    case ScoreTokenizer::intl:
      return set_apart_intl(line);
    case ScoreTokenizer::zh:
      return set_apart_zh(line);
    case ScoreTokenizer::none:
      break;
  }
  return std::u32string(line);
}

}  // namespace kette
