// Messages of errors are written as by a std::ostream, without one.
#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <ostream>
#include <sstream>

#include "tensor/error.h"
#include "tensor/op_name.h"
#include "tensor/random.h"
#include "tensor/shape.h"

using namespace kette;

namespace {

/// An op's file may have types of its own.
struct Celsius {
  double degrees;
};
std::ostream& operator<<(std::ostream& out, const Celsius& celsius) {
  return out << celsius.degrees << " C";
}

template <class... Parts>
std::string streamed(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  return text.str();
}

template <class... Parts>
std::string message(const Parts&... parts) {
  try {
    fail(parts...);
  } catch (const Error& error) {
    return error.what();
  }
}

template <class Number>
void check_limits() {
  using Limits = std::numeric_limits<Number>;
  for (const Number number :
       {Limits::lowest(), Limits::min(), Limits::max(), Number(0), Number(65)}) {
    CHECK(message(number) == streamed(number));
  }
}

}  // namespace

TEST_CASE("the message of an error has its parts as a stream writes them") {
  const char* pointer = "pointer";
  const std::string text = "text";
  const OpName name = "op";
  CHECK(message("matmul: ", pointer, text, std::string_view(text), 'c', name) ==
        "matmul: pointertexttextcop");
  CHECK(message(Shape{2, 3}, Celsius{21.5}) == "[2, 3]21.5 C");
  CHECK(message(std::filesystem::path("a \"b\"")) == streamed(std::filesystem::path("a \"b\"")));
  CHECK(message(true, false, static_cast<signed char>('s'), static_cast<unsigned char>('u')) ==
        "10su");
  enum Plain { kSeven = 7 };
  CHECK(message(kSeven) == "7");
  check_limits<short>();
  check_limits<int>();
  check_limits<unsigned>();
  check_limits<long>();
  check_limits<unsigned long>();
  check_limits<long long>();
  check_limits<unsigned long long>();
  check_limits<float>();
  check_limits<double>();
}

TEST_CASE("the message of an error has a floating-point number as a stream writes it") {
  for (const double number : {0.0,
                              -0.0,
                              1.0,
                              0.1,
                              1.0 / 3,
                              100000.0,
                              999999.5,
                              1e6,
                              1234567.0,
                              1e-4,
                              1e-5,
                              9.99999e-5,
                              0.000123456789,
                              1e15,
                              1e100,
                              5e-324,
                              std::nan(""),
                              -std::nan(""),
                              std::numeric_limits<double>::infinity(),
                              -std::numeric_limits<double>::infinity()}) {
    CHECK(message(number) == streamed(number));
    CHECK(message(static_cast<float>(number)) == streamed(static_cast<float>(number)));
  }
  Random random(1);
  for (int i = 0; i < 10000; ++i) {
    const double number = random.uniform(-10, 10) * std::pow(10.0, random.uniform(-20, 20));
    REQUIRE(message(number) == streamed(number));
  }
}
