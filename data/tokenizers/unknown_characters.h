// Which characters of a text a vocabulary has no pieces for: they become the unknown piece, and what is made of them
// is chance. And which ones its normalisation takes for others. Nothing is lost in silence.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "data/files/utf8.h"
#include "data/tokenizers/tokenizer.h"

namespace kette {

/// How often there is which character.
using CharacterCounts = std::map<std::string, std::int64_t>;

/// What is asked of a character and always answered alike, asked once.
class CharacterAnswers {
 public:
  /// What find(character) says. One with accents that stand for themselves is asked for each time.
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

  /// Counts a line. Whether it has unknown characters.
  bool add(std::string_view line);
  void add(const std::vector<std::string_view>& lines) {
    for (const std::string_view line : lines) add(line);
  }
  /// Whether the vocabulary has no piece for it where it stands alone. An accent has none, and one with its letter.
  bool is_unknown(std::string_view character);
  /// Those of a line; empty if its pieces spell them all.
  CharacterCounts in(std::string_view line);

  std::int64_t lines() const { return lines_; }
  std::int64_t lines_with() const { return lines_with_; }
  /// "3 of 100 lines have characters that the model does not know: '€' (U+20AC) 2 times, U+200D"; "" if none has.
  std::string text() const;

 private:
  SharedTokenizer tokenizer_;
  Side side_;
  std::int32_t unknown_;
  CharacterAnswers known_;
  std::int64_t lines_ = 0, lines_with_ = 0;
  CharacterCounts characters_;
};

/// Which characters come back as others, for the vocabulary's normalisation takes them for these: it never writes them.
class ChangedCharacters {
 public:
  explicit ChangedCharacters(SharedTokenizer tokenizer, Side side = Side::target)
      : tokenizer_(std::move(tokenizer)), side_(side) {}

  void add(std::string_view line);
  /// Those of a line.
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

/// A vocabulary that spells every character and normalises as SentencePiece does unless it is told otherwise
/// (nmt_nfkc): what a vocabulary that is yet to be learnt will change.
SharedTokenizer usual_normalisation();

/// The most frequent ones with their counts, first: "'€' (U+20AC) 2 times, U+200D and 3 others".
std::string listed_characters(const CharacterCounts& characters);
/// "'€' (U+20AC)"; of a character that shows nothing, the code alone.
std::string named_character(std::string_view character);

}  // namespace kette
