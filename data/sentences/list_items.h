// Lists whose items were joined to one line: "1) The first item 2) The second item", "• one • two".
// The next item begins a sentence.
#pragma once

#include "data/sentences/language.h"
#include "data/sentences/words.h"

namespace kette::sentences {

/// The number or letter before an item, and how it is written.
struct ItemMark {
  enum class Form : std::uint8_t { none, stop, bracket, stop_and_bracket };
  Form form = Form::none;
  bool is_letter = false;
  std::uint32_t value = 0;  ///< "a" is 1
};

/// The item mark of a word, if the whole word is one.
ItemMark item_mark(std::string_view text, Word word);

/// Tracks the words of a paragraph.
class ListItems {
 public:
  explicit ListItems(const Language& language) : language_(&language) {}

  /// Call it for the first word of each sentence.
  void begin(std::string_view text, Word word);
  /// Whether the word begins the item after the one that began the sentence, or has its bullet.
  bool continues(std::string_view text, Word word) const;

 private:
  const Language* language_;
  ItemMark mark_;
  char32_t bullet_ = 0;
};

}  // namespace kette::sentences
