#include "data/sentences/likely_language.h"

#include <algorithm>
#include <array>

#include "data/files/unicode.h"
#include "data/sentences/language.h"

namespace kette {
namespace {

constexpr std::size_t kEnough = std::size_t{1} << 20;  // bytes

}  // namespace

std::string likely_language(const std::vector<std::string_view>& lines) {
  const std::array<const sentences::Language*, 3> languages = {
      &sentences::english(), &sentences::german(), &sentences::french()};
  std::array<std::int64_t, languages.size()> hits{};
  std::size_t left = kEnough;
  for (const std::string_view line : lines) {
    if (line.size() > left) break;
    left -= line.size();
    const std::u32string lowered = lower(decode_utf8(line));
    for (std::size_t begin = 0; begin < lowered.size();) {
      std::size_t end = begin;
      while (end < lowered.size() && is_letter(lowered[end])) ++end;
      if (end > begin) {
        const std::string word =
            encode_utf8(std::u32string_view(lowered).substr(begin, end - begin));
        for (std::size_t i = 0; i < languages.size(); ++i) {
          hits[i] += languages[i]->starters.contains(word) ? 1 : 0;
        }
      }
      begin = std::max(end, begin + 1);
    }
  }
  std::array<std::int64_t, languages.size()> sorted = hits;
  std::sort(sorted.rbegin(), sorted.rend());
  if (sorted[0] == 0 || 2 * sorted[0] < 3 * sorted[1]) return {};
  const auto best = std::max_element(hits.begin(), hits.end()) - hits.begin();
  return std::string(languages[static_cast<std::size_t>(best)]->name);
}

}  // namespace kette
