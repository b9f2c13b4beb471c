#include "data/tokenizers/unknown_characters.h"

#include <algorithm>
#include <bit>
#include <cstdio>

#include "data/files/unicode.h"
#include "data/files/utf8.h"
#include "data/tokenizers/sentencepiece_tokenizer.h"

namespace kette {

std::int8_t& CharacterAnswers::answer_to(std::string_view character) {
  const std::size_t code = utf8_character(character, 0).code_point;
  // No larger than the text needs: it may be a sentence.
  if (code >= answers_.size()) answers_.resize(std::bit_ceil(code + 1), kNone);
  return answers_[code];
}

std::string named_character(std::string_view character) {
  const char32_t code = utf8_character(character, 0).code_point;
  char number[16];
  std::snprintf(number, sizeof number, "U+%04X", static_cast<unsigned>(code));
  if (is_control(code) || is_space(code) || is_nonspacing_mark(code)) return number;
  return "'" + std::string(character) + "' (" + number + ")";
}

std::string listed_characters(const CharacterCounts& characters) {
  constexpr std::size_t kShown = 10;
  std::vector<std::pair<std::int64_t, std::string>> by_count;
  for (const auto& [character, count] : characters) by_count.emplace_back(-count, character);
  std::sort(by_count.begin(), by_count.end());
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, by_count.size()); ++i) {
    text += std::string(i > 0 ? ", " : "") + named_character(by_count[i].second);
    if (by_count[i].first < -1) text += " " + std::to_string(-by_count[i].first) + " times";
  }
  if (by_count.size() > kShown) {
    text += " and " + std::to_string(by_count.size() - kShown) + " others";
  }
  return text;
}

namespace {

/// "3 of 100 lines have WHAT: ..."; "" if none has.
std::string told(std::int64_t lines_with, std::int64_t lines, const std::string& what,
                 const CharacterCounts& characters) {
  if (lines_with == 0) return {};
  return std::to_string(lines_with) + " of " + std::to_string(lines) +
         (lines == 1 ? " line has " : " lines have ") + what + ": " + listed_characters(characters);
}

bool has_unknown(const std::vector<std::int32_t>& ids, std::int32_t unknown) {
  return std::find(ids.begin(), ids.end(), unknown) != ids.end();
}

/// Calls use(character) for each one of well-formed text.
template <class Use>
void for_characters(std::string_view line, const Use& use) {
  for (std::size_t at = 0; at < line.size();) {
    const std::string_view character = line.substr(at, utf8_length(line[at]));
    at += character.size();
    use(character);
  }
}

}  // namespace

UnknownCharacters::UnknownCharacters(SharedTokenizer tokenizer, Side side)
    : tokenizer_(std::move(tokenizer)), side_(side), unknown_(tokenizer_->special().unknown) {
  if (tokenizer_->reads_words()) unknown_ = SpecialTokens::kNone;
}

bool UnknownCharacters::is_unknown(std::string_view character) {
  if (unknown_ == SpecialTokens::kNone) return false;
  return known_.of(character, [&](std::string_view one) {
    return has_unknown(tokenizer_->encode(one, side_), unknown_);
  });
}

CharacterCounts UnknownCharacters::in(std::string_view line) {
  if (side_ == Side::source) line.remove_prefix(tokenizer_->written_tag(line).size);
  CharacterCounts found;
  for_characters(line, [&](std::string_view character) {
    if (is_unknown(character)) ++found[std::string(character)];
  });
  if (!found.empty() && !has_unknown(tokenizer_->encode(line, side_), unknown_)) found.clear();
  return found;
}

bool UnknownCharacters::add(std::string_view line) {
  ++lines_;
  const CharacterCounts found = in(line);
  lines_with_ += found.empty() ? 0 : 1;
  for (const auto& [character, count] : found) characters_[character] += count;
  return !found.empty();
}

std::string UnknownCharacters::text() const {
  return told(lines_with_, lines_, "characters that the model does not know", characters_);
}

bool ChangedCharacters::is_changed(std::string_view character) const {
  const std::string between = "a" + std::string(character) + "b";
  const std::vector<std::int32_t> ids = tokenizer_->encode(between, side_);
  if (has_unknown(ids, tokenizer_->special().unknown)) return false;
  return (side_ == Side::source ? tokenizer_->decode_source(ids) : tokenizer_->decode(ids)) !=
         between;
}

CharacterCounts ChangedCharacters::in(std::string_view line) {
  CharacterCounts found;
  for_characters(line, [&](std::string_view character) {
    if (changed_.of(character, [&](std::string_view one) { return is_changed(one); })) {
      ++found[std::string(character)];
    }
  });
  return found;
}

void ChangedCharacters::add(std::string_view line) {
  ++lines_;
  const CharacterCounts found = in(line);
  lines_with_ += found.empty() ? 0 : 1;
  for (const auto& [character, count] : found) characters_[character] += count;
}

std::string ChangedCharacters::text() const {
  return told(lines_with_, lines_, "characters that the model never writes", characters_);
}

SharedTokenizer usual_normalisation() {
  static const SharedTokenizer tokenizer = [] {
    SentencePieceOptions options;
    options.byte_fallback = true;
    options.vocabulary = 4 + 256 + 4;  // special pieces, bytes, and pieces of the line
    const std::vector<std::string_view> lines = {"a b"};
    return SentencePieceTokenizer::train(lines, options);
  }();
  return tokenizer;
}

}  // namespace kette
