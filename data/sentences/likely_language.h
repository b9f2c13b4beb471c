// Guesses the language of a text, among those of the splitter, by its function words; and of a
// single line, by these and its letters.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/enum_names.h"

namespace kette {

/// Function words of English, German and French; those of several texts can be added.
using LanguageSigns = std::array<std::int64_t, 3>;
/// Of the first lines, up to a MiB.
LanguageSigns language_signs(const std::vector<std::string_view>& lines);

/// "en", "de" or "fr"; "" if no language clearly leads.
std::string likely_language(const LanguageSigns& signs);
std::string likely_language(const std::vector<std::string_view>& lines);

/// The language of one line. other: most letters are not Latin.
enum class LineLanguage : std::uint8_t { unknown, english, german, french, other };
template <>
inline constexpr auto kNamesOf<LineLanguage> =
    enum_names<LineLanguage>({{LineLanguage::unknown, ""},
                              {LineLanguage::english, "en"},
                              {LineLanguage::german, "de"},
                              {LineLanguage::french, "fr"},
                              {LineLanguage::other, "another script"}});
inline constexpr std::size_t kLineLanguages = kNamesOf<LineLanguage>.size();

/// lowered: lower() of the line. Unknown unless the line has at least two signs of a language, and
/// twice as many as of any other, so that a name or a foreign word does not decide.
LineLanguage language_of_line(std::u32string_view lowered);

}  // namespace kette
