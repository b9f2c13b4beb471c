// The number that leads a text, as std::from_chars reads it, with libc++ as well, whose from_chars knows no doubles.
#pragma once

#include <locale.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <string>
#include <system_error>
#include <type_traits>

namespace kette {

/// Reads [begin, end) as far as it is a number: in decimal, without white space or a plus in front.
template <class Number>
std::from_chars_result read_number(const char* begin, const char* end, Number& value) {
#ifdef _LIBCPP_VERSION
  if constexpr (std::is_floating_point_v<Number>) {
    static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
    std::string text(begin, end);
    text.resize(std::min(text.find_first_not_of("0123456789.eE-+"), text.size()));
    if (text.starts_with('+')) text.clear();
    char* stopped = nullptr;
    errno = 0;
    const double read = strtod_l(text.c_str(), &stopped, plain);
    if (stopped == text.c_str()) return {begin, std::errc::invalid_argument};
    if (errno == ERANGE) return {begin + (stopped - text.c_str()), std::errc::result_out_of_range};
    value = static_cast<Number>(read);
    return {begin + (stopped - text.c_str()), std::errc{}};
  } else {
    return std::from_chars(begin, end, value);
  }
#else
  return std::from_chars(begin, end, value);
#endif
}

}  // namespace kette
