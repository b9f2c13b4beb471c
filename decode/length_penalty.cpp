#include "decode/length_penalty.h"

#include <cmath>
#include <sstream>

#include "tensor/error.h"

namespace kette {

double LengthPenalty::divisor(std::int64_t n) const {
  switch (kind) {
    case Kind::gnmt:
      return std::pow((5.0 + static_cast<double>(n)) / 6.0, alpha);
    case Kind::len:
      return std::pow(static_cast<double>(n), alpha);
    case Kind::none:
      break;
  }
  return 1;
}

std::string LengthPenalty::str() const {
  if (kind == Kind::none) return "none";
  std::ostringstream text;
  text << (kind == Kind::gnmt ? "gnmt:" : "len:") << alpha;
  return text.str();
}

LengthPenalty parse_length_penalty(const std::string& text) {
  using Kind = LengthPenalty::Kind;
  if (text == "none") return {Kind::none, 0};
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  KETTE_CHECK(colon != std::string::npos && (name == "gnmt" || name == "len"),
              "length penalty: expected gnmt:ALPHA for ((5 + n) / 6)^ALPHA, len:ALPHA for n^ALPHA, "
              "or none, "
              "given \"",
              text, "\"");
  std::istringstream number(text.substr(colon + 1));
  double alpha = 0;
  const bool read =
      static_cast<bool>(number >> alpha) && number.peek() == std::istringstream::traits_type::eof();
  KETTE_CHECK(read && std::isfinite(alpha) && alpha >= 0,
              "length penalty: expected a number of at least 0 after ", name, ":, given \"",
              text.substr(colon + 1), "\" (as in gnmt:0.6 or len:1)");
  return {name == "gnmt" ? Kind::gnmt : Kind::len, alpha};
}

}  // namespace kette
