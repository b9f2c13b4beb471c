// What the hardware leaves open, drawn from a seed: which threads of a block and which blocks come
// first, when a copy within a kernel and when the work of a stream is done. The environment variable
// KETTE_EMULATOR_SEED names the seed; with 0 everything happens in order and at once, which is what
// a debugger wants.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

namespace emulator {

class Chance {
 public:
  Chance() {
    const char* named = std::getenv("KETTE_EMULATOR_SEED");
    if (named == nullptr) return;
    char* end = nullptr;
    set_seed(std::strtoull(named, &end, 10));
    if (end == named || *end != 0) {
      std::fprintf(stderr, "KETTE_EMULATOR_SEED: expected a whole number, given %s\n", named);
      std::exit(2);
    }
    std::fprintf(stderr, "cuda emulator: the seed is %llu\n", seed());
  }

  void set_seed(std::uint64_t seed) { seed_ = state_ = seed; }
  unsigned long long seed() const { return seed_; }

  /// One of 0 .. count - 1.
  std::uint64_t below(std::uint64_t count) {
    if (seed_ == 0) return 0;
    // SplitMix64 (Steele, Lea and Flood 2014).
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (z ^ z >> 31) % count;
  }
  bool coin() { return below(2) == 1; }
  void shuffle(std::vector<unsigned>& values) {
    if (seed_ == 0) return;
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }

 private:
  std::uint64_t seed_ = 1, state_ = 1;
};

Chance& chance();

}  // namespace emulator
