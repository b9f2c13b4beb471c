// The one error type and the one check of Kette.
// Grammar of every message: "op: expected what, given what", then, where it helps, what to do.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>

namespace kette {

class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message) : std::runtime_error(message) {}
};

/// Throws Error with all arguments streamed together: fail("matmul: expected ", k, ", given ", n).
template <class... Parts>
[[noreturn]] void fail(const Parts&... parts) {
  std::ostringstream message;
  (message << ... << parts);
  throw Error(message.str());
}

}  // namespace kette

/// KETTE_CHECK(condition, "op: expected ", a, ", given ", b): the message is built only on failure.
#define KETTE_CHECK(condition, ...)  \
  do {                               \
    if (!(condition)) [[unlikely]] { \
      ::kette::fail(__VA_ARGS__);    \
    }                                \
  } while (false)
