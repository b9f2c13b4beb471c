// Brackets and quotation marks that open within a sentence: where the sentence cannot end before they close.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "data/sentences/words.h"

namespace kette::sentences {

class Enclosures {
 public:
  /// Of one paragraph.
  explicit Enclosures(std::string_view text);

  /// The next word. first: it is the first of its sentence.
  void enter(Word word, bool first);
  /// Whether an enclosure is open behind the last word, and its words belong to one sentence.
  bool hold(std::size_t end) const { return end < held_until_; }

 private:
  /// Places of one closing mark, asked for from left to right.
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
