#include "data/sentences/likely_language.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <unordered_map>

#include "data/files/unicode.h"
#include "data/sentences/language.h"

namespace kette {
namespace {

constexpr std::size_t kEnough = std::size_t{1} << 20;  // bytes
constexpr std::size_t kLanguages = std::tuple_size_v<LanguageSigns>;

const std::array<const sentences::Language*, kLanguages>& all_languages() {
  static const std::array<const sentences::Language*, kLanguages> languages = {
      &sentences::english(), &sentences::german(), &sentences::french()};
  return languages;
}

/// In which languages a word is a function word: bit i for language i.
std::uint8_t languages_of(std::u32string_view word) {
  static const std::map<std::u32string, std::uint8_t> by_word = [] {
    std::map<std::u32string, std::uint8_t> all;
    for (std::size_t i = 0; i < kLanguages; ++i) {
      for (const std::string_view starter : all_languages()[i]->starters) {
        std::uint8_t& languages = all[decode_utf8(starter)];
        languages = static_cast<std::uint8_t>(languages | 1u << i);
      }
    }
    return all;
  }();
  static const std::unordered_map<std::u32string_view, std::uint8_t> words(by_word.begin(),
                                                                           by_word.end());
  const auto found = words.find(word);
  return found == words.end() ? 0 : found->second;
}

/// Calls use(word) for each run of letters.
template <class Use>
void for_words(std::u32string_view lowered, const Use& use) {
  for (std::size_t begin = 0; begin < lowered.size();) {
    std::size_t end = begin;
    while (end < lowered.size() && is_letter(lowered[end])) ++end;
    if (end > begin) use(lowered.substr(begin, end - begin));
    begin = std::max(end, begin + 1);
  }
}

void add_function_word(std::u32string_view word, LanguageSigns& signs) {
  const std::uint8_t languages = languages_of(word);
  for (std::size_t i = 0; i < kLanguages; ++i) signs[i] += languages >> i & 1;
}

/// Function words of one language that are common in another: man, will, hat, war; car, or. Single
/// letters may be parts of words or names.
bool tells_little(std::u32string_view word) {
  return word.size() == 1 || word == U"man" || word == U"will" || word == U"hat" ||
         word == U"war" || word == U"car" || word == U"or";
}

/// Letters that among the three languages only German has, or only French.
constexpr std::u32string_view kGermanLetters = U"\u00E4\u00F6\u00FC\u00DF";
constexpr std::u32string_view kFrenchLetters =
    U"\u00E0\u00E2\u00E6\u00E7\u00E8\u00E9\u00EA\u00EB\u00EE\u00EF\u00F4\u00F9\u00FB\u0153";

bool has_one_of(std::u32string_view word, std::u32string_view letters) {
  return word.find_first_of(letters) != std::u32string_view::npos;
}

/// Latin-1, Latin Extended A and B, Latin Extended Additional.
bool is_latin(char32_t letter) { return letter < 0x250 || (letter >= 0x1E00 && letter < 0x1F00); }

/// The index of the largest; kLanguages if it is below `least` or not `times` the second largest.
std::size_t clearly_most(const LanguageSigns& signs, std::int64_t least, double times) {
  LanguageSigns sorted = signs;
  std::sort(sorted.rbegin(), sorted.rend());
  if (sorted[0] < least ||
      static_cast<double>(sorted[0]) < times * static_cast<double>(sorted[1])) {
    return kLanguages;
  }
  return static_cast<std::size_t>(std::max_element(signs.begin(), signs.end()) - signs.begin());
}

}  // namespace

LanguageSigns language_signs(const std::vector<std::string_view>& lines) {
  LanguageSigns signs{};
  std::size_t left = kEnough;
  for (const std::string_view line : lines) {
    if (line.size() > left) break;
    left -= line.size();
    const std::u32string lowered = lower(decode_utf8(line));
    for_words(lowered, [&](std::u32string_view word) { add_function_word(word, signs); });
  }
  return signs;
}

std::string likely_language(const LanguageSigns& signs) {
  const std::size_t most = clearly_most(signs, 1, 1.5);
  return most == kLanguages ? "" : std::string(all_languages()[most]->name);
}

std::string likely_language(const std::vector<std::string_view>& lines) {
  return likely_language(language_signs(lines));
}

LineLanguage language_of_line(std::u32string_view lowered) {
  LanguageSigns signs{};
  std::size_t letters = 0, latin = 0;
  for_words(lowered, [&](std::u32string_view word) {
    letters += word.size();
    latin += static_cast<std::size_t>(std::count_if(word.begin(), word.end(), is_latin));
    if (!tells_little(word)) add_function_word(word, signs);
    if (has_one_of(word, kGermanLetters)) ++signs[1];
    if (has_one_of(word, kFrenchLetters)) ++signs[2];
  });
  if (letters > 2 * latin) return LineLanguage::other;
  const std::size_t most = clearly_most(signs, 2, 2);
  if (most == kLanguages) return LineLanguage::unknown;
  return enum_named<LineLanguage>(std::string(all_languages()[most]->name));
}

}  // namespace kette
