#include "data/tokenizers/unknown_characters.h"

#include <algorithm>
#include <cstdio>

#include "data/files/unicode.h"
#include "data/files/utf8.h"

namespace kette {

std::string named_character(std::string_view character) {
  const char32_t code = utf8_character(character, 0).code_point;
  char number[16];
  std::snprintf(number, sizeof number, "U+%04X", static_cast<unsigned>(code));
  if (is_control(code) || is_space(code) || is_nonspacing_mark(code)) return number;
  return "'" + std::string(character) + "' (" + number + ")";
}

std::string listed_characters(const std::map<std::string, std::int64_t>& characters) {
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

/// "3 of 100 lines have WHAT: ..."; "" where none has.
std::string told(std::int64_t lines_with, std::int64_t lines, const std::string& what,
                 const std::map<std::string, std::int64_t>& characters) {
  if (lines_with == 0) return {};
  return std::to_string(lines_with) + " of " + std::to_string(lines) +
         (lines == 1 ? " line has " : " lines have ") + what + ": " + listed_characters(characters);
}

}  // namespace

UnknownCharacters::UnknownCharacters(SharedTokenizer tokenizer, Side side)
    : tokenizer_(std::move(tokenizer)), side_(side), unknown_(tokenizer_->special().unknown) {
  // These know whole words, and the others by what they look like.
  const bool of_words =
      tokenizer_->kind() == "word" || (tokenizer_->kind() == "tree" && !tokenizer_->is_bpe());
  if (of_words) unknown_ = SpecialTokens::kNone;
}

bool UnknownCharacters::is_unknown(std::string_view character) {
  if (unknown_ == SpecialTokens::kNone) return false;
  const auto found = known_.find(character);
  if (found != known_.end()) return found->second;
  const std::vector<std::int32_t> ids = tokenizer_->encode(character, side_);
  const bool unknown = std::find(ids.begin(), ids.end(), unknown_) != ids.end();
  known_.emplace(character, unknown);
  return unknown;
}

bool UnknownCharacters::add(std::string_view line) {
  ++lines_;
  std::vector<std::string_view> found;
  for (std::size_t at = 0; at < line.size();) {
    const std::string_view character = line.substr(at, utf8_length(line[at]));
    at += character.size();
    if (is_unknown(character)) found.push_back(character);
  }
  if (found.empty()) return false;
  const std::vector<std::int32_t> ids = tokenizer_->encode(line, side_);
  if (std::find(ids.begin(), ids.end(), unknown_) == ids.end()) return false;
  ++lines_with_;
  for (const std::string_view character : found) ++characters_[std::string(character)];
  return true;
}

std::string UnknownCharacters::text() const {
  return told(lines_with_, lines_, "characters that the model does not know", characters_);
}

std::string changed_characters(const Tokenizer& tokenizer,
                               const std::vector<std::string_view>& lines) {
  std::map<std::string, bool, std::less<>> changes;
  std::map<std::string, std::int64_t> characters;
  std::int64_t lines_with = 0;
  for (const std::string_view line : lines) {
    bool any = false;
    for (std::size_t at = 0; at < line.size();) {
      const std::string_view character = line.substr(at, utf8_length(line[at]));
      at += character.size();
      auto found = changes.find(character);
      if (found == changes.end()) {
        const std::string between = "a" + std::string(character) + "b";
        const std::vector<std::int32_t> ids = tokenizer.encode(between, Side::target);
        const std::int32_t unknown = tokenizer.special().unknown;
        const bool is_known = std::find(ids.begin(), ids.end(), unknown) == ids.end();
        found = changes.emplace(character, is_known && tokenizer.decode(ids) != between).first;
      }
      if (!found->second) continue;
      any = true;
      ++characters[std::string(character)];
    }
    lines_with += any ? 1 : 0;
  }
  return told(lines_with, std::ssize(lines), "characters that the model never writes", characters);
}

}  // namespace kette
