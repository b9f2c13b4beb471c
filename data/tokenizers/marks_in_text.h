// Counts marks spelled in a text, such as <|endoftext|> or </s>. Kette reads them as text, since no
// text may end its own document. Other programs read them as marks, so the user is told.
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
  /// Counts the vocabulary's marks (Tokenizer::marks()), except `heeded`, which have a meaning in
  /// the text, and also `others`.
  explicit MarksInText(const Tokenizer& tokenizer, const std::vector<std::string>& others = {},
                       const std::vector<std::string>& heeded = {});

  /// Counts by mark. Thread-safe.
  std::vector<std::int64_t> count(std::string_view text) const;
  void add(const std::vector<std::int64_t>& counts);
  void add(std::string_view text) { add(count(text)); }
  /// "'<|endoftext|>' 500 times, '</s>' once: read as text, and not as marks"; "" if there are
  /// none.
  std::string text() const;

 private:
  TextSearch marks_;
  std::vector<std::int64_t> counts_;
};

}  // namespace kette
