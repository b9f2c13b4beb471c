// Which characters of a text a vocabulary has no pieces for: they become the unknown piece, and what is made of them
// is chance. Nothing is lost in silence.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "data/tokenizers/tokenizer.h"

namespace kette {

class UnknownCharacters {
 public:
  explicit UnknownCharacters(SharedTokenizer tokenizer, Side side = Side::source);

  /// Counts a line. Whether it has unknown characters.
  bool add(std::string_view line);
  void add(const std::vector<std::string_view>& lines) {
    for (const std::string_view line : lines) add(line);
  }
  /// Whether the vocabulary has no piece for it where it stands alone. An accent has none, and one with its letter.
  bool is_unknown(std::string_view character);

  std::int64_t lines() const { return lines_; }
  std::int64_t lines_with() const { return lines_with_; }
  /// "3 of 100 lines have characters that the model does not know: '€' (U+20AC) 2 times, U+200D"; "" if none has.
  std::string text() const;

 private:
  SharedTokenizer tokenizer_;
  Side side_;
  std::int32_t unknown_;
  std::map<std::string, bool, std::less<>> known_;  // of characters that were asked for: unknown?
  std::int64_t lines_ = 0, lines_with_ = 0;
  std::map<std::string, std::int64_t> characters_;
};

/// Which characters of targets come back as others, for the vocabulary's normalisation takes them for these: "2 of 100
/// lines have characters that the model never writes: U+00A0 2 times"; "" if there are none.
std::string changed_characters(const Tokenizer& tokenizer,
                               const std::vector<std::string_view>& lines);

/// The most frequent ones with their counts, first: "'€' (U+20AC) 2 times, U+200D and 3 others".
std::string listed_characters(const std::map<std::string, std::int64_t>& characters);
/// "'€' (U+20AC)"; of a character that shows nothing, the code alone.
std::string named_character(std::string_view character);

}  // namespace kette
