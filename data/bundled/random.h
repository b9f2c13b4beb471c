// Random choices of the bundled corpus, from splitmix64 of a counter. The corpus must be the same
// on every platform, so nothing here comes from <random>, whose distributions differ between
// standard libraries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tensor/splitmix.h"

namespace kette::bundled {

/// The hash of a text, the same everywhere: FNV-1a, then splitmix64.
constexpr std::uint64_t hash(std::string_view text, std::uint64_t seed = 0) {
  std::uint64_t value = 0xCBF29CE484222325ull ^ splitmix64(seed);
  for (const char letter : text) {
    value = (value ^ static_cast<unsigned char>(letter)) * 0x100000001B3ull;
  }
  return splitmix64(value);
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : seed_(splitmix64(seed)) {}

  std::uint64_t next() { return splitmix64(seed_ + ++counter_ * 0x9E3779B97F4A7C15ull); }
  /// A whole number in [0, bound). The bias of the remainder is below 2^-50 for our small bounds.
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % bound); }
  bool chance(unsigned percent) { return next() % 100 < percent; }

  template <class Container>
  const auto& pick(const Container& choices) {
    return *(std::begin(choices) + static_cast<std::ptrdiff_t>(below(std::size(choices))));
  }

 private:
  std::uint64_t seed_;
  std::uint64_t counter_ = 0;
};

}  // namespace kette::bundled
