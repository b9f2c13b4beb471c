// What a request may ask for. Each limit is named in the error of a request that is beyond it.
#pragma once

#include <cstdint>

namespace kette {

struct ServeLimits {
  std::int64_t texts = 2048;          ///< of a request
  std::int64_t characters = 200'000;  ///< of all its texts
  std::int64_t tokens = 2048;         ///< of each text that is written
  std::int64_t beam = 16;
  std::int64_t n = 8;    ///< texts for each prompt, and alternatives of a translation
  double wait = 10;      ///< seconds until a text's turn comes, as far as that is known: 429
  double seconds = 120;  ///< for a request: 504
};

}  // namespace kette
