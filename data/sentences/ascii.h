// ASCII characters, independent of the locale.
#pragma once

#include <string_view>

namespace kette::sentences {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_alpha(char c) { return is_upper(c) || is_lower(c); }
constexpr char lowered(char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }
constexpr bool is_one_of(char c, std::string_view all) {
  return all.find(c) != std::string_view::npos;
}

}  // namespace kette::sentences
