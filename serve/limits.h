// The limits of a request. The error of a request beyond one names it.
#pragma once

#include <algorithm>
#include <cstdint>

namespace kette {

struct ServeLimits {
  std::int64_t texts = 2048;          ///< in a request
  std::int64_t characters = 200'000;  ///< of all its texts
  std::int64_t tokens = 2048;         ///< of each generated text
  std::int64_t beam = 16;
  std::int64_t n = 8;    ///< texts for each prompt, and alternatives of a translation
  double wait = 10;      ///< estimated seconds until a text begins: 429
  double seconds = 120;  ///< for a request: 504

  /// The most alternatives that a request may want: the beam holds them beside the best one.
  std::int64_t alternatives() const { return std::min(n, beam - 1); }
};

}  // namespace kette
