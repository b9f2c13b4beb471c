// The random numbers of NumPy's default_rng(seed), which sacreBLEU draws its resamples with: the same seed
// gives the same segments, and so the same intervals and p. Generator: PCG64, whose 128 bits go
//   state = state * multiplier + increment,   number = rotate(high ^ low, state >> 122)
// (M. O'Neill, "PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms for Random Number
// Generation", 2014, XSL RR), begun from a seed that is mixed as NumPy's SeedSequence does.
#pragma once

#include <cstdint>

namespace kette {

class NumpyRandom {
 public:
  explicit NumpyRandom(std::uint64_t seed);

  /// As integers(count): 0 .. count - 1, of at most 2^32 - 1 numbers (Lemire 2019).
  std::uint32_t below(std::uint32_t count);
  /// As one of many integers(2, dtype=bool); not to be mixed with below().
  bool coin();

 private:
  __extension__ using Wide = unsigned __int128;

  void step() { state_ = state_ * multiplier() + increment_; }
  static Wide multiplier() { return Wide{2549297995355413924u} << 64 | 4865540595714422341u; }
  std::uint64_t next_64();
  std::uint32_t next_32();

  Wide state_ = 0, increment_ = 0;
  std::uint64_t kept_ = 0;  // the upper half of a number, which next_32() gives next
  bool keeps_ = false;
  std::uint32_t coins_ = 0;
  int coins_left_ = 0;
};

}  // namespace kette
