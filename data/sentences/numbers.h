// The numbers of a text and their values, independent of the language's format: 1,234.5 in English
// is 1.234,5 in German and 1 234,5 in French. Shows whether a translation has lost one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kette {

struct Number {
  std::size_t begin = 0, end = 0;  ///< bytes: digits and separators
  /// Decimal, without grouping and redundant zeros: "1234.5". Times, dates and versions have colons
  /// between their parts: "10:30".
  std::string value{};
};

/// Numbers written with digits, ascending. language: en, de or fr; others are read as English.
/// Signs and suffixes are not part of a number: percent, degrees, a.m., 3rd, 3.
std::vector<Number> numbers_in(std::string_view text, const std::string& language);

/// The source's values that the target lacks, each as often as it is missing, in source order. A
/// number also counts as present if the target has its parts (10:30, 10.30, 10 h 30), has it in the
/// source's format, or spells it as a word (cardinal or ordinal, up to twelve); or has a p.m. time
/// in 24-hour form.
std::vector<std::string> missing_numbers(std::string_view source,
                                         const std::string& source_language,
                                         std::string_view target,
                                         const std::string& target_language);

}  // namespace kette
