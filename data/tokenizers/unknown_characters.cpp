#include "data/tokenizers/unknown_characters.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

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

UnknownCharacters::UnknownCharacters(SharedTokenizer tokenizer, Side side)
    : tokenizer_(std::move(tokenizer)), side_(side), unknown_(tokenizer_->special().unknown) {}

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
  if (lines_with_ == 0) return {};
  constexpr std::size_t kShown = 10;
  std::vector<std::pair<std::int64_t, std::string>> by_count;
  for (const auto& [character, count] : characters_) by_count.emplace_back(-count, character);
  std::sort(by_count.begin(), by_count.end());
  std::string text = std::to_string(lines_with_) + " of " + std::to_string(lines_) +
                     (lines_ == 1 ? " line has" : " lines have") +
                     " characters that the model does not know: ";
  for (std::size_t i = 0; i < std::min(kShown, by_count.size()); ++i) {
    text += (i > 0 ? ", " : "") + named_character(by_count[i].second) + " " +
            std::to_string(-by_count[i].first);
  }
  if (by_count.size() > kShown) {
    text += " and " + std::to_string(by_count.size() - kShown) + " others";
  }
  return text;
}

nlohmann::ordered_json UnknownCharacters::json() const {
  nlohmann::ordered_json characters = nlohmann::ordered_json::object();
  for (const auto& [character, count] : characters_) characters[character] = count;
  return {{"lines", lines_}, {"lines_with", lines_with_}, {"characters", characters}};
}

}  // namespace kette
