#include "decode/unreadable_text.h"

#include <algorithm>
#include <map>

#include "data/files/unicode.h"
#include "data/files/utf8.h"

namespace kette {
namespace {

/// What belongs to the picture before it, or joins it to the next.
bool goes_with_emoji(char32_t c) {
  return c == 0x200D || c == 0xFE0E || c == 0xFE0F || c == 0x20E3 ||
         (c >= 0x1F3FB && c <= 0x1F3FF) || (c >= 0xE0020 && c <= 0xE007F);
}

}  // namespace

std::vector<TextUnit> unreadable_text(const Tokenizer& tokenizer, std::string_view text,
                                      Side side) {
  const std::int32_t unknown = tokenizer.special().unknown;
  std::map<char32_t, bool> known;
  const auto is_readable = [&](char32_t c, std::string_view character) {
    const auto [found, is_new] = known.try_emplace(c, true);
    if (is_new) {
      const std::vector<std::int32_t> ids = tokenizer.encode(character, side);
      found->second = std::find(ids.begin(), ids.end(), unknown) == ids.end();
    }
    return found->second;
  };
  std::vector<TextUnit> spans;
  if (unknown < 0) return spans;
  for (std::size_t at = 0; at < text.size();) {
    const auto [c, bytes] = utf8_character(text, at);
    const std::size_t end = at + std::max<std::size_t>(bytes, 1);
    const bool touches = !spans.empty() && spans.back().end == at;
    const bool is_unreadable =
        bytes > 0 && !is_white_space(c) && !is_readable(c, text.substr(at, bytes));
    if (touches && (is_unreadable || goes_with_emoji(c))) {
      spans.back().end = end;
    } else if (is_unreadable) {
      spans.push_back({at, end, false});
    }
    at = end;
  }
  return spans;
}

}  // namespace kette
