// The divisor of a sum of log-probabilities, which makes hypotheses of different lengths
// comparable. Elsewhere two formulas are called "alpha". Here each has a name:
//   gnmt:ALPHA   ((5 + n) / 6)^ALPHA    Wu et al. 2016, equation (14); Vaswani et al. 2017 use 0.6
//   len:ALPHA    n^ALPHA                len:1 is the mean log-probability of a token
//   none         1
// n is the number of tokens with the end mark, so that the empty hypothesis has a score, too.
#pragma once

#include <cstdint>
#include <string>

namespace kette {

struct LengthPenalty {
  enum class Kind : std::uint8_t { none, gnmt, len };
  Kind kind = Kind::len;
  double alpha = 1;

  /// Does not decrease with n, and is at least 1 for n >= 1.
  double divisor(std::int64_t n) const;
  /// "gnmt:0.6"
  std::string str() const;
};

/// An Error if the name is unknown or ALPHA is negative or not a number; it lists the names.
LengthPenalty parse_length_penalty(const std::string& text);

}  // namespace kette
