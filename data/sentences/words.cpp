#include "data/sentences/words.h"

#include "data/files/unicode.h"
#include "data/files/utf8.h"

namespace kette::sentences {
namespace {

constexpr char32_t kEllipsis = 0x2026;
constexpr char32_t kVariation = 0xFE0F;  // selects the emoji's picture
constexpr char32_t kJoiner = 0x200D;     // between emoji that are one picture

bool is_east_asian_mark(char32_t c) {
  return c == 0x3002 || c == 0xFF01 || c == 0xFF1F || c == 0xFF61;
}

/// All end marks except the stop and the ellipsis.
bool is_strong_mark(char32_t c) {
  switch (c) {
    case U'!':
    case U'?':
    case 0x061F:  // Arabic
    case 0x06D4:
    case 0x0964:  // Devanagari
    case 0x203C:  // ‼ ‽ ⁇ ⁈ ⁉
    case 0x203D:
    case 0x2047:
    case 0x2048:
    case 0x2049:
      return true;
    default:
      return is_east_asian_mark(c);
  }
}

bool is_end_mark(char32_t c) { return c == U'.' || c == kEllipsis || is_strong_mark(c); }

/// At the end of a word, where “ closes, too, as in German. Note numbers follow the mark.
bool is_closer(char32_t c) {
  const bool is_note = c == 0xB9 || c == 0xB2 || c == 0xB3 || (c >= 0x2070 && c <= 0x2079);
  return is_closing(c) || is_quotation_mark(c) || is_note || c == U'*' || c == U'_';
}

/// At the start of a word.
bool is_opener(char32_t c) {
  return is_opening(c) || is_quotation_mark(c) || is_dash(c) || is_bullet(c) || c == U'*' ||
         c == U'_' || c == U'#' || c == U'@' || c == U'`' || c == 0xBF || c == 0xA1 ||
         c == kEllipsis;
}

bool is_emoji(char32_t c) {
  return c == kVariation || c == kJoiner || (c >= 0x2600 && c <= 0x27BF) ||
         (c >= 0x1F000 && c <= 0x1FAFF);
}

/// The character that ends before `end`.
struct Before {
  char32_t code_point;
  std::size_t begin;
};
Before character_before(std::string_view text, std::size_t end) {
  std::size_t begin = end - 1;
  while (continues_utf8(text[begin])) --begin;
  return {utf8_character(text, begin).code_point, begin};
}

/// Where a note like [12] that ends at `end`, after the end of a sentence, begins; `end` if there
/// is none.
std::size_t note_begin(std::string_view text, std::size_t begin, std::size_t end) {
  constexpr std::size_t kDigits = 3;
  std::size_t at = end - 1;
  while (at > begin && end - at <= kDigits + 1 && text[at - 1] >= '0' && text[at - 1] <= '9') --at;
  if (at == end - 1 || at < begin + 2 || text[at - 1] != '[') return end;
  const char32_t c = character_before(text, at - 1).code_point;
  return is_end_mark(c) || is_closer(c) ? at - 1 : end;
}

void add(EndMarks& marks, char32_t c) {
  constexpr std::uint32_t kMany = 1000;
  if (is_end_mark(c)) {
    marks.apart |= marks.closed;
    if (c == U'.' && marks.stops < kMany) ++marks.stops;
    marks.ellipsis |= c == kEllipsis;
    marks.exclaims |= is_strong_mark(c);
  } else if (marks.any()) {
    marks.closed = true;
    marks.bracket_closed |= is_closing(c);
  } else {
    marks.apart = true;
  }
}

/// :) ;-) and the like, at the end of a sentence.
bool is_smiley(std::string_view word) {
  if (word.size() < 2 || word.size() > 3 || (word[0] != ':' && word[0] != ';')) return false;
  return std::string_view("()DPp/|").find(word.back()) != std::string_view::npos &&
         (word.size() == 2 || word[1] == '-');
}

std::string_view view(std::string_view text, Word word) {
  return text.substr(word.begin, word.end - word.begin);
}

}  // namespace

bool is_bullet(char32_t c) {
  return c == 0x2022 || c == 0x2023 || c == 0x2043 || c == 0x25E6 || (c >= 0x25A0 && c <= 0x25D7);
}

bool is_blank(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Character c = utf8_character(text, at);
    if (!is_white_space(c.code_point)) return false;
    at += c.bytes;
  }
  return true;
}

Word next_word(std::string_view text, std::size_t from) {
  while (from < text.size()) {
    const Utf8Character c = utf8_character(text, from);
    if (!is_white_space(c.code_point)) break;
    from += c.bytes;
  }
  Word word{from, from};
  bool ended = false;
  while (word.end < text.size()) {
    const auto byte = static_cast<unsigned char>(text[word.end]);
    if (byte > 0x20 && byte < 0x80 && !ended) {  // the usual case
      ++word.end;
      continue;
    }
    const Utf8Character c = utf8_character(text, word.end);
    if (is_white_space(c.code_point)) break;
    if (ended && !is_end_mark(c.code_point)) {
      // A closing mark here may be followed by words of the same sentence.
      if (!is_closer(c.code_point)) break;
      ended = false;
    }
    ended |= is_east_asian_mark(c.code_point);
    word.end += c.bytes;
  }
  return word;
}

WordEnd end_of(std::string_view text, Word word) {
  std::size_t begin = word.end;
  while (begin > word.begin) {
    const Before c = character_before(text, begin);
    if (c.code_point == U']') {
      const std::size_t note = note_begin(text, word.begin, begin);
      if (note != begin) {
        begin = note;
        continue;
      }
    }
    if (!is_end_mark(c.code_point) && !is_closer(c.code_point)) break;
    begin = c.begin;
  }
  WordEnd end;
  end.begin = word.begin;
  end.end = begin;
  for (std::size_t at = begin; at < word.end;) {
    const Utf8Character c = utf8_character(text, at);
    at += c.bytes;
    const bool is_note = c.code_point == U'[' || is_digit(c.code_point);
    add(end.marks, is_note ? U'"' : c.code_point);
  }
  while (end.begin < end.end) {
    const Utf8Character c = utf8_character(text, end.begin);
    if (!is_opener(c.code_point)) break;
    end.begin += c.bytes;
  }
  return end;
}

bool only_ends(std::string_view text, Word word, bool quote_is_open) {
  if (is_smiley(view(text, word))) return true;
  for (std::size_t at = word.begin; at < word.end;) {
    const Utf8Character c = utf8_character(text, at);
    at += c.bytes;
    const bool closes = c.code_point == U'"' ? quote_is_open
                                             : c.code_point == U'\'' || is_closing(c.code_point) ||
                                                   c.code_point == 0xBB || c.code_point == 0x201D ||
                                                   c.code_point == 0x2019;
    if (!closes && !is_end_mark(c.code_point) && !is_emoji(c.code_point)) return false;
  }
  return true;
}

bool is_omission(std::string_view text, Word word) {
  const char first = text[word.begin];
  const char last = first == '[' ? ']' : ')';
  if (first != '[' && first != '(') return false;
  bool marks = false, closed = false;
  for (std::size_t at = word.begin + 1; at < word.end;) {
    const Utf8Character c = utf8_character(text, at);
    at += c.bytes;
    if (closed ? !is_closer(c.code_point)
               : c.code_point != static_cast<char32_t>(last) && !is_end_mark(c.code_point)) {
      return false;
    }
    marks |= is_end_mark(c.code_point);
    closed |= c.code_point == static_cast<char32_t>(last);
  }
  return marks && closed;
}

void add_marks(EndMarks& marks, std::string_view text, Word word) {
  marks.apart |= !marks.any();
  for (std::size_t at = word.begin; at < word.end;) {
    const Utf8Character c = utf8_character(text, at);
    at += c.bytes;
    if (is_end_mark(c.code_point) || is_closer(c.code_point)) add(marks, c.code_point);
  }
}

bool is_ellipsis(std::string_view text, Word word) {
  const std::string_view whole = view(text, word);
  return whole == "..." || whole == "\u2026";
}

bool is_dash_alone(std::string_view text, Word word) {
  for (std::size_t at = word.begin; at < word.end;) {
    const Utf8Character c = utf8_character(text, at);
    if (!is_dash(c.code_point)) return false;
    at += c.bytes;
  }
  return !word.empty();
}

WordStart start_of(std::string_view text, Word word) {
  std::size_t at = word.begin;
  if (view(text, word).starts_with("..")) {
    while (at < word.end && text[at] == '.') ++at;
  }
  while (at < word.end) {
    const Utf8Character c = utf8_character(text, at);
    const bool low_quote = c.code_point == U',' && text.substr(at, 2) == ",,";  // „ on typewriters
    if (!low_quote && !is_opener(c.code_point)) {
      if (is_lower_case(c.code_point)) return {Lead::lower, at};
      if (is_capital(c.code_point)) return {Lead::capital, at};
      if (is_letter(c.code_point)) return {Lead::other_letter, at};
      const bool is_money = c.code_point == U'$' || c.code_point == 0xA3 || c.code_point == 0x20AC;
      if (is_number(c.code_point) || is_money) return {Lead::digit, at};
      return {Lead::none, at};
    }
    at += low_quote ? 2 : c.bytes;
  }
  return {Lead::opening, at};
}

}  // namespace kette::sentences
