// The numbers of a text and what they are worth, whatever their language's form: 1,234.5 in English is 1.234,5 in German and
// 1 234,5 in French. For telling whether a translation has lost one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kette {

struct Number {
  std::size_t begin = 0, end = 0;  ///< bytes, of the digits and what is between them
  /// Decimal, without groups and without zeros that say nothing: "1234.5". What is no single number, times, dates and
  /// versions, has a colon between its parts: "10:30".
  std::string value{};
};

/// Of digits, rising. language: en, de or fr; others are read as English. Neither signs nor what stands behind belong to a
/// number: percent, degrees, a.m., 3rd, 3.
std::vector<Number> numbers_in(std::string_view text, const std::string& language);

/// The values of the source that the target lacks, each as often as it is missing, in the order of the source. A number is
/// there as well if the target has its parts (10:30, 10.30, 10 h 30), wrote it as the source does, or spells it as a word
/// up to twelve, cardinal or ordinal; and a time with p.m. as one of 24 hours.
std::vector<std::string> missing_numbers(std::string_view source,
                                         const std::string& source_language,
                                         std::string_view target,
                                         const std::string& target_language);

}  // namespace kette
