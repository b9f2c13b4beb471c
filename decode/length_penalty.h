// What the sum of log-probabilities is divided by before hypotheses of different lengths are
// compared. Two formulas go by the name "alpha" elsewhere; here each has its own:
//   gnmt:ALPHA   ((5 + n) / 6)^ALPHA    Wu et al. 2016, equation (14); Vaswani et al. 2017 use 0.6
//   len:ALPHA    n^ALPHA                len:1 is the mean log-probability of a token
//   none         1
// n counts the tokens of the hypothesis and its end mark, so that the empty hypothesis has a score,
// too.
#pragma once

#include <cstdint>
#include <string>

namespace kette {

struct LengthPenalty {
  enum class Kind : std::uint8_t { none, gnmt, len };
  Kind kind = Kind::len;
  double alpha = 1;

  /// Never falls as n grows, and at least 1 for n >= 1.
  double divisor(std::int64_t n) const;
  /// "gnmt:0.6"
  std::string str() const;
};

/// An unknown name or a negative or unreadable ALPHA is an Error that says what there is.
LengthPenalty parse_length_penalty(const std::string& text);

}  // namespace kette
