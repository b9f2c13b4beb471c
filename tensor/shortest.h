// Numbers as people write them.
#pragma once

#include <charconv>
#include <concepts>
#include <string>

namespace kette {

/// The shortest text that reads back as the same number of its type.
template <std::floating_point Number>
std::string shortest(Number value) {
  char text[32];
  const auto result = std::to_chars(text, text + sizeof text, value);
  return std::string(text, result.ptr);
}

}  // namespace kette
