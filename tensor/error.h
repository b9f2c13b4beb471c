// The one error type and the one check of Kette.
// Grammar of every message: "op: expected what, given what", then, where it helps, what to do.
#pragma once

#include <iosfwd>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace kette {

class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
};

/// Appends a part of a message as a std::ostream would write it. This header avoids those of
/// streams: nearly every file includes it, and they are slow to compile.
namespace error_text {

void append(std::string& text, std::string_view part);
void append(std::string& text, char part);
void append(std::string& text, long long part);
void append(std::string& text, unsigned long long part);
void append(std::string& text, double part);
/// For a type with its own operator<<, which `write` calls.
void append(std::string& text, const void* part, void (*write)(std::ostream&, const void*));

template <class Part>
void append_part(std::string& text, const Part& part) {
  if constexpr (std::is_convertible_v<const Part&, std::string_view>) {
    append(text, std::string_view(part));
  } else if constexpr (std::is_convertible_v<const Part&, const char*>) {
    append(text, std::string_view(static_cast<const char*>(part)));
  } else if constexpr (std::is_integral_v<Part> && sizeof(Part) == 1 &&
                       !std::is_same_v<Part, bool>) {
    append(text, static_cast<char>(part));
  } else if constexpr (std::is_integral_v<Part> && std::is_signed_v<Part>) {
    append(text, static_cast<long long>(part));
  } else if constexpr (std::is_integral_v<Part>) {
    append(text, static_cast<unsigned long long>(part));
  } else if constexpr (std::is_same_v<Part, float> || std::is_same_v<Part, double>) {
    append(text, static_cast<double>(part));
  } else {
    append(text, &part,
           [](std::ostream& out, const void* it) { out << *static_cast<const Part*>(it); });
  }
}

}  // namespace error_text

[[noreturn]] void throw_error(const std::string& message);

/// Throws an Error; its text is the arguments joined:
/// fail("matmul: expected ", k, ", given ", n).
template <class... Parts>
[[noreturn]] void fail(const Parts&... parts) {
  std::string text;
  (error_text::append_part(text, parts), ...);
  throw_error(text);
}

}  // namespace kette

/// KETTE_CHECK(condition, "op: expected ", a, ", given ", b): the message is built only on failure.
#define KETTE_CHECK(condition, ...)  \
  do {                               \
    if (!(condition)) [[unlikely]] { \
      ::kette::fail(__VA_ARGS__);    \
    }                                \
  } while (false)
