// "Did you mean": the known name with the fewest typing errors (Damerau-Levenshtein distance: a
// letter inserted, deleted or changed, or two swapped).
#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace kette {

std::size_t edit_distance(const std::string& a, const std::string& b);

/// The nearest name, or an empty string if none is near enough.
std::string nearest(const std::string& name, const std::vector<std::string>& known);

/// " (did you mean NAME?)" or nothing.
std::string did_you_mean(const std::string& name, const std::vector<std::string>& known);

/// "a, b, c"
std::string joined(const std::vector<std::string>& words, const char* separator = ", ");

/// The same for text_of(element) of each element.
template <class Range, class TextOf>
requires std::invocable<const TextOf&, decltype(*std::begin(std::declval<const Range&>()))>
    std::string joined(const Range& range, const TextOf& text_of, const char* separator = ", ") {
  std::vector<std::string> words;
  for (const auto& each : range) words.push_back(text_of(each));
  return joined(words, separator);
}

}  // namespace kette
