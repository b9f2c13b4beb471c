// Finds characters of a text that a vocabulary lacks (they become the unknown piece, and the
// model's output for them is arbitrary), and those that its normalisation changes. So no loss is
// silent.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "data/files/utf8.h"
#include "data/tokenizers/tokenizer.h"

namespace kette {

/// The count of each character.
using CharacterCounts = std::map<std::string, std::int64_t>;

/// Caches a yes-or-no property of characters.
class CharacterAnswers {
 public:
  /// find(character), cached, except for a character with combining accents.
  template <class Find>
  bool of(std::string_view character, const Find& find) {
    if (character.size() > utf8_length(character[0])) return find(character);
    std::int8_t& answer = answer_to(character);
    if (answer == kNone) answer = find(character) ? 1 : 0;
    return answer == 1;
  }

 private:
  static constexpr std::int8_t kNone = -1;
  std::int8_t& answer_to(std::string_view character);

  std::vector<std::int8_t> answers_;  // by code point
};

class UnknownCharacters {
 public:
  explicit UnknownCharacters(SharedTokenizer tokenizer, Side side = Side::source);

  /// Counts a line. Returns whether it has unknown characters.
  bool add(std::string_view line);
  void add(const std::vector<std::string_view>& lines) {
    for (const std::string_view line : lines) add(line);
  }
  /// Whether the vocabulary has no piece for the character by itself. (A lone accent may be unknown
  /// but known with its letter.)
  bool is_unknown(std::string_view character);
  /// The unknown characters of a line, but for those of its tag (Tokenizer::written_tag()); empty if its pieces spell
  /// them all.
  CharacterCounts in(std::string_view line);

  std::int64_t lines() const { return lines_; }
  std::int64_t lines_with() const { return lines_with_; }
  /// "3 of 100 lines have characters that the model does not know: '€' (U+20AC) 2 times, U+200D";
  /// "" if none has.
  std::string text() const;

 private:
  SharedTokenizer tokenizer_;
  Side side_;
  std::int32_t unknown_;
  CharacterAnswers known_;
  std::int64_t lines_ = 0, lines_with_ = 0;
  CharacterCounts characters_;
};

/// Finds characters that the vocabulary's normalisation replaces by others, so that the model never
/// writes them.
class ChangedCharacters {
 public:
  explicit ChangedCharacters(SharedTokenizer tokenizer, Side side = Side::target)
      : tokenizer_(std::move(tokenizer)), side_(side) {}

  void add(std::string_view line);
  /// The changed characters of a line.
  CharacterCounts in(std::string_view line);
  /// "2 of 100 lines have characters that the model never writes: U+00A0 2 times"; "" if none has.
  std::string text() const;

 private:
  bool is_changed(std::string_view character) const;

  SharedTokenizer tokenizer_;
  Side side_;
  CharacterAnswers changed_;
  std::int64_t lines_ = 0, lines_with_ = 0;
  CharacterCounts characters_;
};

/// A vocabulary with every character and SentencePiece's default normalisation (nmt_nfkc). It shows
/// what a vocabulary trained later will change.
SharedTokenizer usual_normalisation();

/// The most frequent first, with their counts: "'€' (U+20AC) 2 times, U+200D and 3 others".
std::string listed_characters(const CharacterCounts& characters);
/// "'€' (U+20AC)"; only the code for an invisible character.
std::string named_character(std::string_view character);

}  // namespace kette
