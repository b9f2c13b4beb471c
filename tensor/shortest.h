// Numbers as people write them.
#pragma once

#include <charconv>
#include <string>

namespace kette {

/// The shortest text that reads back as the same number.
inline std::string shortest(double value) {
  char text[32];
  const auto result = std::to_chars(text, text + sizeof text, value);
  return std::string(text, result.ptr);
}
/// Of a number in f32: the shortest that reads back as it there, 0.1 for the one next to 0.1.
inline std::string shortest_f32(float value) {
  char text[32];
  const auto result = std::to_chars(text, text + sizeof text, value);
  return std::string(text, result.ptr);
}

}  // namespace kette
