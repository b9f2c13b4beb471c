// The random numbers of NumPy's default_rng(seed), with which sacreBLEU draws resamples: the same
// seed gives the same segments, and so the same intervals and p. Generator: PCG64 with 128 bits of
// state,
//   state = state * multiplier + increment,   number = rotate(high ^ low, state >> 122)
// (M. O'Neill, "PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms for
// Random Number Generation", 2014, XSL RR), seeded as by NumPy's SeedSequence.
#pragma once

#include <cstdint>

namespace kette {

class NumpyRandom {
 public:
  explicit NumpyRandom(std::uint64_t seed);

  /// As integers(count): 0 .. count - 1, for count < 2^32 (Lemire 2019).
  std::uint32_t below(std::uint32_t count);
  /// As one of many integers(2, dtype=bool); do not mix with below().
  bool coin();

 private:
  __extension__ using Wide = unsigned __int128;

  void step() { state_ = state_ * multiplier() + increment_; }
  static Wide multiplier() { return Wide{2549297995355413924u} << 64 | 4865540595714422341u; }
  std::uint64_t next_64();
  std::uint32_t next_32();

  Wide state_ = 0, increment_ = 0;
  std::uint64_t kept_ = 0;  // the upper half of a number, returned by the next next_32()
  bool keeps_ = false;
  std::uint32_t coins_ = 0;
  int coins_left_ = 0;
};

}  // namespace kette
