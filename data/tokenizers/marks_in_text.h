// How often a text spells a mark, such as <|endoftext|> or </s>. It is read as text, for no text can end its own document, and
// other programs read it as the mark: so it is told.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "data/tokenizers/text_search.h"
#include "data/tokenizers/tokenizer.h"

namespace kette {

class MarksInText {
 public:
  /// Those of the vocabulary (Tokenizer::marks()), but for some that have a meaning in the text, and others beside them.
  explicit MarksInText(const Tokenizer& tokenizer, const std::vector<std::string>& others = {},
                       const std::vector<std::string>& heeded = {});

  /// By mark. Safe to call from several threads.
  std::vector<std::int64_t> count(std::string_view text) const;
  void add(const std::vector<std::int64_t>& counts);
  void add(std::string_view text) { add(count(text)); }
  /// "'<|endoftext|>' 500 times, '</s>' once: read as text, and not as marks"; "" if there are none.
  std::string text() const;

 private:
  TextSearch marks_;
  std::vector<std::int64_t> counts_;
};

}  // namespace kette
