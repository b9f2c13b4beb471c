// What is between white space, taken apart from its ends: opening marks, a core, end marks and closing ones. Each
// function reads a word once, so that a text of one giant word, or of nothing but stops, costs no more than another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kette::sentences {

struct Word {
  std::size_t begin = 0, end = 0;
  bool empty() const { return begin == end; }
};

/// The first word that begins at or behind `from`; empty, at the end of the text, where there is none. A word ends at
/// white space, and behind the end marks of East Asian text, which has none.
Word next_word(std::string_view text, std::size_t from);

/// Whether there is nothing but white space.
bool is_blank(std::string_view text);

/// The end marks of a word, with what closes between and behind them.
struct EndMarks {
  std::uint32_t stops = 0;  ///< full stops; more are not told apart once there are many
  bool ellipsis = false;    ///< U+2026
  bool exclaims = false;    ///< ! ? and whatever is no abbreviation's
  bool closed = false;      ///< a bracket or quotation mark has closed behind a mark
  bool bracket_closed = false;
  bool apart = false;  ///< something stands between the word and its last mark

  bool any() const { return stops > 0 || ellipsis || exclaims; }
  /// One stop right behind a word: that of a sentence, an abbreviation, a number.
  bool lone_stop() const { return stops == 1 && !ellipsis && !exclaims && !apart; }
  bool omits() const { return !exclaims && (ellipsis ? stops == 0 : stops == 3); }
};

/// A word from its end: text[begin, end) is its core, without opening marks, end marks and closing marks.
struct WordEnd {
  std::size_t begin = 0, end = 0;
  EndMarks marks;
};
WordEnd end_of(std::string_view text, Word word);

/// What belongs to the sentence before it: a word of nothing but end marks, closing marks and emoji.
/// quote_is_open: whether a " alone closes.
bool only_ends(std::string_view text, Word word, bool quote_is_open);
/// What stands for words left out, or a remark: [...], (…), (!), [sic] is none.
bool is_omission(std::string_view text, Word word);
/// Alone, behind the end of a sentence, it begins the next one: "Both. ... Meaning that"
bool is_ellipsis(std::string_view text, Word word);
/// The marks of a word that only ends, behind those of the words before it.
void add_marks(EndMarks& marks, std::string_view text, Word word);

/// What a word begins with, behind brackets, quotation marks, dashes, bullets and ellipses.
enum class Lead : std::uint8_t { none, opening, capital, lower, digit, other_letter };
struct WordStart {
  Lead lead = Lead::none;  ///< opening: nothing else is in the word
  std::size_t at = 0;      ///< where the first letter or digit is
};
WordStart start_of(std::string_view text, Word word);

/// A word of nothing but dashes.
bool is_dash_alone(std::string_view text, Word word);

bool is_bullet(char32_t character);

}  // namespace kette::sentences
