#include "tensor/error.h"

#include <array>
#include <charconv>
#include <cmath>
#include <sstream>

namespace kette {
namespace error_text {
namespace {

template <class... Format>
void append_number(std::string& text, Format... number) {
  std::array<char, 32> digits;  // a sign and 20 digits, or 6 and an exponent
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number...).ptr;
  text.append(digits.data(), end);
}

}  // namespace

void append(std::string& text, std::string_view part) { text += part; }
void append(std::string& text, char part) { text += part; }
void append(std::string& text, long long part) { append_number(text, part); }
void append(std::string& text, unsigned long long part) { append_number(text, part); }
void append(std::string& text, double part) {
  if (std::isnan(part)) {  // which to_chars() of libc++ and a stream write in different words
    text += std::signbit(part) ? "-nan" : "nan";
    return;
  }
  append_number(text, part, std::chars_format::general, 6);
}
void append(std::string& text, const void* part, void (*write)(std::ostream&, const void*)) {
  std::ostringstream written;
  write(written, part);
  text += written.str();
}

}  // namespace error_text

void throw_error(const std::string& message) { throw Error(message); }

}  // namespace kette
