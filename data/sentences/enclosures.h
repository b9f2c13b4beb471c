// Brackets and quotation marks that open in a sentence: it cannot end before they close.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "data/sentences/words.h"

namespace kette::sentences {

class Enclosures {
 public:
  /// text: one paragraph.
  explicit Enclosures(std::string_view text);

  /// Call it for each word. first: the first of its sentence.
  void enter(Word word, bool first);
  /// Whether an enclosure that holds a sentence together is open at `end`.
  bool hold(std::size_t end) const { return end < held_until_; }

 private:
  /// Searches for one closing mark, from left to right.
  struct Closer {
    std::string_view mark;
    std::size_t at = 0;
    bool begun = false;
  };
  std::size_t closing(char32_t opening, std::size_t from);
  bool goes_on(std::size_t closed) const;

  std::string_view text_;
  std::size_t held_until_ = 0;
  std::array<Closer, 7> closers_;
};

}  // namespace kette::sentences
