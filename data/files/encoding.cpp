#include "data/files/encoding.h"

#include <algorithm>
#include <cstdio>

#include "tensor/error.h"

namespace kette {
namespace {

constexpr std::size_t kLooked = 64;

std::string advice(const std::string& encoding) {
  return " (convert the text first, for example with iconv -f " + encoding + " -t UTF-8)";
}

}  // namespace

const char* utf16_name(std::string_view start) {
  if (start.starts_with("\xFF\xFE") || start.starts_with("\xFE\xFF")) return "UTF-16";
  const std::size_t pairs = std::min(start.size(), kLooked) / 2;
  std::size_t first = 0, second = 0;  // NULs among the first and the second bytes of pairs
  for (std::size_t i = 0; i < pairs; ++i) {
    first += start[2 * i] == '\0' ? 1 : 0;
    second += start[2 * i + 1] == '\0' ? 1 : 0;
  }
  if (pairs < 2) return nullptr;
  const std::size_t most = pairs - pairs / 4;  // a dash or a quote may be among them
  if (first == 0 && second >= most) return "UTF-16LE";
  if (second == 0 && first >= most) return "UTF-16BE";
  return nullptr;
}

std::string expected_utf8(std::string_view start, char given, const std::string& where) {
  if (const char* utf16 = utf16_name(start)) return "expected UTF-8, given UTF-16" + advice(utf16);
  char byte[5];
  std::snprintf(byte, sizeof byte, "0x%02X", static_cast<unsigned char>(given));
  return std::string("expected UTF-8, given the byte ") + byte + where + advice("ISO-8859-1");
}

void check_not_utf16(std::string_view start, const std::string& name) {
  if (utf16_name(start) != nullptr) fail(name, ": ", expected_utf8(start, '\0'));
}

}  // namespace kette
