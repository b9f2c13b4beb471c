#include "data/metrics/numpy_random.h"

#include <array>
#include <bit>
#include <cstddef>

namespace kette {
namespace {

constexpr std::size_t kPool = 4;

/// A hash whose constant changes with each number.
class MovingHash {
 public:
  MovingHash(std::uint32_t constant, std::uint32_t multiplier)
      : constant_(constant), multiplier_(multiplier) {}
  std::uint32_t operator()(std::uint32_t value) {
    value ^= constant_;
    constant_ *= multiplier_;
    value *= constant_;
    return value ^ value >> 16;
  }

 private:
  std::uint32_t constant_, multiplier_;
};

std::uint32_t mix(std::uint32_t a, std::uint32_t b) {
  const std::uint32_t mixed = 0xCA01F9DDu * a - 0x4973F715u * b;
  return mixed ^ mixed >> 16;
}

/// SeedSequence(seed).generate_state(4, uint64)
std::array<std::uint64_t, 4> spread(std::uint64_t seed) {
  std::array<std::uint32_t, kPool> pool = {static_cast<std::uint32_t>(seed),
                                           static_cast<std::uint32_t>(seed >> 32)};
  MovingHash in(0x43B0D7E5u, 0x931E8875u);
  for (std::uint32_t& word : pool) word = in(word);
  for (std::size_t from = 0; from < kPool; ++from) {
    for (std::size_t to = 0; to < kPool; ++to) {
      if (from != to) pool[to] = mix(pool[to], in(pool[from]));
    }
  }
  MovingHash out(0x8B51F9DDu, 0x58F38DEDu);
  std::array<std::uint64_t, 4> words{};
  for (std::size_t i = 0; i < 2 * words.size(); ++i) {
    words[i / 2] |= std::uint64_t{out(pool[i % kPool])} << 32 * (i % 2);
  }
  return words;
}

}  // namespace

NumpyRandom::NumpyRandom(std::uint64_t seed) {
  const std::array<std::uint64_t, 4> words = spread(seed);
  increment_ = (Wide{words[2]} << 64 | words[3]) << 1 | 1;
  step();
  state_ += Wide{words[0]} << 64 | words[1];
  step();
}

std::uint64_t NumpyRandom::next_64() {
  step();
  const auto high = static_cast<std::uint64_t>(state_ >> 64),
             low = static_cast<std::uint64_t>(state_);
  return std::rotr(high ^ low, static_cast<int>(high >> 58));
}

std::uint32_t NumpyRandom::next_32() {
  keeps_ = !keeps_;
  if (!keeps_) return static_cast<std::uint32_t>(kept_);
  const std::uint64_t next = next_64();
  kept_ = next >> 32;
  return static_cast<std::uint32_t>(next);
}

std::uint32_t NumpyRandom::below(std::uint32_t count) {
  if (count == 1) return 0;
  std::uint64_t product = std::uint64_t{next_32()} * count;
  if (static_cast<std::uint32_t>(product) < count) {
    const std::uint32_t threshold = (0u - count) % count;
    while (static_cast<std::uint32_t>(product) < threshold) {
      product = std::uint64_t{next_32()} * count;
    }
  }
  return static_cast<std::uint32_t>(product >> 32);
}

bool NumpyRandom::coin() {
  if (coins_left_ == 0) {
    coins_ = next_32();
    coins_left_ = 32;
  }
  const bool heads = coins_ & 1;
  coins_ >>= 1;
  --coins_left_;
  return heads;
}

}  // namespace kette
