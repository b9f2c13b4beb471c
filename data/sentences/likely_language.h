// In which of the languages that the splitter knows a text is, by its function words, and a single line, by these and its
// letters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/enum_names.h"

namespace kette {

/// "en", "de" or "fr"; "" where no language has clearly the most.
std::string likely_language(const std::vector<std::string_view>& lines);

/// Of one line; other: most of its letters are not Latin ones.
enum class LineLanguage : std::uint8_t { unknown, english, german, french, other };
template <>
inline constexpr auto kNamesOf<LineLanguage> =
    enum_names<LineLanguage>({{LineLanguage::unknown, ""},
                              {LineLanguage::english, "en"},
                              {LineLanguage::german, "de"},
                              {LineLanguage::french, "fr"},
                              {LineLanguage::other, "another script"}});
inline constexpr std::size_t kLineLanguages = kNamesOf<LineLanguage>.size();

/// lowered: lower() of the line. Unknown unless it has two signs of a language and twice as many as of any other: a name
/// or a word of another language in a line is none.
LineLanguage language_of_line(std::u32string_view lowered);

}  // namespace kette
