// Words (between white space) and their parts: opening marks, a core, end marks and closing marks.
// Each function reads a word once, so a text of one giant word, or of only stops, costs no more
// than any other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kette::sentences {

struct Word {
  std::size_t begin = 0, end = 0;
  bool empty() const { return begin == end; }
};

/// The first word that begins at or after `from`; if none, empty and at the end of the text. A word
/// ends at white space, or after the end marks of East Asian text, which has no spaces.
Word next_word(std::string_view text, std::size_t from);

/// Whether the text is only white space.
bool is_blank(std::string_view text);

/// The end marks of a word, with closing marks between and after them.
struct EndMarks {
  std::uint32_t stops = 0;  ///< full stops; not exact if there are many
  bool ellipsis = false;    ///< U+2026
  bool exclaims = false;    ///< ! ? and other marks that no abbreviation has
  bool closed = false;      ///< a bracket or quotation mark closes after a mark
  bool bracket_closed = false;
  bool apart = false;  ///< something is between the word and its last mark

  bool any() const { return stops > 0 || ellipsis || exclaims; }
  /// One stop directly after a word: of a sentence, an abbreviation or a number.
  bool lone_stop() const { return stops == 1 && !ellipsis && !exclaims && !apart; }
  bool omits() const { return !exclaims && (ellipsis ? stops == 0 : stops == 3); }
};

/// The end of a word: text[begin, end) is its core, without opening, end and closing marks.
struct WordEnd {
  std::size_t begin = 0, end = 0;
  EndMarks marks;
};
WordEnd end_of(std::string_view text, Word word);

/// Whether the word belongs to the sentence before it: only end marks, closing marks and emoji.
/// quote_is_open: whether a lone " closes.
bool only_ends(std::string_view text, Word word, bool quote_is_open);
/// Whether the word marks an omission or a remark: [...], (…), (!); not [sic].
bool is_omission(std::string_view text, Word word);
/// A lone ellipsis after the end of a sentence begins the next one: "Both. ... Meaning that"
bool is_ellipsis(std::string_view text, Word word);
/// Appends the marks of a word for which only_ends() is true.
void add_marks(EndMarks& marks, std::string_view text, Word word);

/// What a word begins with, after brackets, quotation marks, dashes, bullets and ellipses.
enum class Lead : std::uint8_t { none, opening, capital, lower, digit, other_letter };
struct WordStart {
  Lead lead = Lead::none;  ///< opening: the word has nothing else
  std::size_t at = 0;      ///< of the first letter or digit
};
WordStart start_of(std::string_view text, Word word);

/// Whether the word is only dashes.
bool is_dash_alone(std::string_view text, Word word);

bool is_bullet(char32_t character);

}  // namespace kette::sentences
