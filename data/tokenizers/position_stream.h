// A second stream of positions: beside its number in a text a token has another one, which goes on at some tokens
// alone, such as the tags of a parser's trees, one for each word. The tokenizer says at which, and the model's
// configuration keeps that.
#pragma once

#include <cstdint>
#include <limits>

namespace kette {

struct PositionStream {
  static constexpr std::int32_t kNever = std::numeric_limits<std::int32_t>::max();

  std::int32_t first = kNever;  ///< the ids from here on move it by one

  bool exists() const { return first != kNever; }
  std::int32_t advance(std::int32_t token) const { return token >= first ? 1 : 0; }
};

}  // namespace kette
