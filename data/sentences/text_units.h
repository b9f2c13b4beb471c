// A text as words and single punctuation marks, for aligning the words of two texts. Finer than
// splitting at white space: a tag may end before a comma, and text without spaces has words, too.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace kette {

/// Bytes [begin, end) of a text.
struct TextUnit {
  std::size_t begin = 0, end = 0;
  bool is_word = false;  ///< of letters and digits

  std::string_view of(std::string_view text) const { return text.substr(begin, end - begin); }
  friend bool operator==(const TextUnit&, const TextUnit&) = default;
};

/// All but white space, ascending. Numbers (1,234.5) and contractions (don't) are whole, French
/// elisions are not (l', homme). In scripts without spaces each character is a word. Bytes that are
/// not UTF-8 are marks.
std::vector<TextUnit> text_units(std::string_view text);

/// Which words of two texts translate each other: indices of their text_units(), in any order.
using UnitLinks = std::vector<std::pair<std::size_t, std::size_t>>;

}  // namespace kette
