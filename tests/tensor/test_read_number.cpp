#include <doctest/doctest.h>

#include <string>

#include "tensor/read_number.h"

using namespace kette;

namespace {

/// How much of the text was read, and what it was; or the error.
std::string read(const std::string& text) {
  double value = 77;
  const auto [end, error] = read_number(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) return "beyond";
  if (error != std::errc{}) return value == 77 ? "none" : "none, but changed";
  return std::to_string(end - text.data()) + ": " + std::to_string(value);
}

}  // namespace

TEST_CASE("a number leads a text, by any standard library") {
  CHECK(read("1.5") == "3: 1.500000");
  CHECK(read("-2e3 steps") == "4: -2000.000000");
  CHECK(read(".25%") == "3: 0.250000");
  CHECK(read("1e") == "1: 1.000000");
  CHECK(read("0x10") == "1: 0.000000");
  CHECK(read("1e999") == "beyond");
  for (const char* wrong : {"", " 1", "+1", "one", "-", "e5"}) CHECK(read(wrong) == "none");
  int whole = 0;
  const std::string text = "12.5";
  CHECK(read_number(text.data(), text.data() + text.size(), whole).ptr == text.data() + 2);
  CHECK(whole == 12);
}
