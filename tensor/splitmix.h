// Counter-based random numbers for the order of data: each is a hash of its purpose, say (seed,
// epoch, sentence). Splitmix64 (Steele, Lea and Flood 2014). Standard distributions and
// std::shuffle differ between libraries and have hidden state; a hash is the same everywhere, on
// any thread and in any order of calls.
#pragma once

#include <cstdint>

namespace kette {

constexpr std::uint64_t splitmix64(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15ull;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ull;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBull;
  return value ^ (value >> 31);
}

/// One hash of several numbers; their order matters.
template <class... Numbers>
constexpr std::uint64_t hash_of(Numbers... numbers) {
  std::uint64_t state = 0;
  ((state = splitmix64(state ^ static_cast<std::uint64_t>(numbers))), ...);
  return state;
}

/// The upper 53 bits of a hash as a number in [0, 1).
constexpr double unit_interval(std::uint64_t hash) {
  return static_cast<double>(hash >> 11) * 0x1.0p-53;
}

}  // namespace kette
