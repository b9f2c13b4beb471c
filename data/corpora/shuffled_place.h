// A random order of which any place is found without the others.
#pragma once

#include <bit>
#include <cstdint>
#include <utility>

#include "tensor/splitmix.h"

namespace kette {

/// A place of [0, count) for each place of it, no two alike, in random order by the key: a Feistel
/// network with the hash as its round function (Luby and Rackoff 1988), walked on until it lands
/// below count.
inline std::int64_t shuffled_place(std::int64_t place, std::int64_t count, std::uint64_t key) {
  constexpr std::uint64_t kRounds = 6;
  const int half = (std::bit_width(static_cast<std::uint64_t>(count - 1)) + 1) / 2;
  const std::uint64_t mask = (std::uint64_t{1} << half) - 1;
  auto value = static_cast<std::uint64_t>(place);
  do {
    std::uint64_t left = value >> half, right = value & mask;
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      left ^= hash_of(key, round, right) & mask;
      std::swap(left, right);
    }
    value = left << half | right;
  } while (value >= static_cast<std::uint64_t>(count));
  return static_cast<std::int64_t>(value);
}

}  // namespace kette
