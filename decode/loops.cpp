#include "decode/loops.h"

#include <algorithm>

namespace kette {

std::vector<std::int32_t> loop_in(std::span<const std::int32_t> tokens) {
  constexpr std::size_t kLongest = 8, kTimes = 4;
  for (std::size_t length = 1; length <= kLongest; ++length) {
    std::size_t run = 0;  // tokens that equal the one so far before them
    for (std::size_t at = length; at < tokens.size(); ++at) {
      run = tokens[at] == tokens[at - length] ? run + 1 : 0;
      if (run == (kTimes - 1) * length) {
        const auto first = tokens.begin() + static_cast<std::ptrdiff_t>(at + 1 - kTimes * length);
        return {first, first + static_cast<std::ptrdiff_t>(length)};
      }
    }
  }
  return {};
}

std::vector<std::vector<bool>> NoLoop::masks() const {
  std::vector<bool> mask(static_cast<std::size_t>(vocabulary_), true);
  mask[static_cast<std::size_t>(loop_.back())] = false;
  return {std::move(mask)};
}

Constraint::Choice NoLoop::after(std::span<const std::int32_t> tokens) const {
  const std::size_t length = loop_.size();
  if (tokens.size() + 1 < 2 * length) return {};
  // The loop once, then all of it except its last token.
  const auto tail = tokens.last(2 * length - 1);
  for (std::size_t i = 0; i < tail.size(); ++i) {
    if (tail[i] != loop_[i % length]) return {};
  }
  return {.mask = 0};
}

}  // namespace kette
