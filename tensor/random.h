// Counter-based random numbers: Philox4x32-10 (Salmon et al., "Parallel Random Numbers: As Easy as
// 1, 2, 3", SC 2011). The n-th number is a pure function of (key, n), so every thread and device
// gets the same number, and the backward pass draws the forward pass's dropout mask again instead
// of storing it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "tensor/dtype.h"

namespace kette {

struct PhiloxKey {
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;  ///< e.g. the number of the dropout within the step
};

/// Four random words for block `index` of a stream.
KETTE_HOST_DEVICE inline std::array<std::uint32_t, 4> philox(PhiloxKey key, std::uint64_t index) {
  std::uint32_t c0 = static_cast<std::uint32_t>(index),
                c1 = static_cast<std::uint32_t>(index >> 32);
  std::uint32_t c2 = static_cast<std::uint32_t>(key.stream);
  std::uint32_t c3 = static_cast<std::uint32_t>(key.stream >> 32);
  std::uint32_t k0 = static_cast<std::uint32_t>(key.seed);
  std::uint32_t k1 = static_cast<std::uint32_t>(key.seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = 0xD2511F53ull * c0;
    const std::uint64_t product1 = 0xCD9E8D57ull * c2;
    c0 = static_cast<std::uint32_t>(product1 >> 32) ^ c1 ^ k0;
    c1 = static_cast<std::uint32_t>(product1);
    c2 = static_cast<std::uint32_t>(product0 >> 32) ^ c3 ^ k1;
    c3 = static_cast<std::uint32_t>(product0);
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return {c0, c1, c2, c3};
}

/// Reads one stream in sequence, for initial weights and test inputs.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0) : key_{seed, stream} {}

  std::uint32_t next() {
    if (at_ == 4) {
      block_ = philox(key_, index_++);
      at_ = 0;
    }
    return block_[at_++];
  }
  /// Uniform in [0, 1), with 53 random bits.
  double uniform() {
    const std::uint64_t high = next(), low = next();
    return static_cast<double>((high << 21) ^ (low >> 11)) * 0x1p-53;
  }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// Standard normal, by Box and Muller.
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * 3.14159265358979323846 * uniform());
  }
  /// Uniform in 0 .. count - 1.
  std::int64_t below(std::int64_t count) {
    return static_cast<std::int64_t>(uniform() * static_cast<double>(count));
  }

 private:
  PhiloxKey key_;
  std::uint64_t index_ = 0;
  std::array<std::uint32_t, 4> block_{};
  int at_ = 4;
};

/// One dropout: each element is kept with probability p = 1 - rate, rounded to a multiple of
/// 1/65536 but not to 0, and is then scaled by 1/p. Element (row, column) takes 16 bits of Philox
/// block (row, column / 128, column % 16). So one block serves eight elements, and sixteen blocks,
/// side by side in vector lanes, serve 128 neighbours.
struct DropoutMask {
  PhiloxKey key;
  std::uint32_t threshold = 0;  ///< elements whose 16 bits fall below it are dropped; 0 keeps all
  float scale = 1;

  DropoutMask() = default;
  DropoutMask(double rate, PhiloxKey philox_key) : key(philox_key) {
    KETTE_CHECK(rate >= 0 && rate < 1, "dropout: expected a rate in [0, 1), given ", rate);
    threshold = static_cast<std::uint32_t>(std::min(65535L, std::lround(rate * 65536.0)));
    scale = 65536.0f / static_cast<float>(65536u - threshold);
  }

  KETTE_HOST_DEVICE bool active() const { return threshold > 0; }
  KETTE_HOST_DEVICE static std::int64_t groups(std::int64_t width) { return (width + 127) / 128; }
  /// 0 or the scale, for one element. cpu/dropout_mask.h and the CUDA kernels draw many at a time.
  KETTE_HOST_DEVICE float at(std::int64_t row, std::int64_t column, std::int64_t width) const {
    return choose(philox(key, block(row, column, width)), column);
  }
  /// block(): the Philox block of an element. choose(): the element's factor, given that block's
  /// words.
  KETTE_HOST_DEVICE static std::uint64_t block(std::int64_t row, std::int64_t column,
                                               std::int64_t width) {
    const std::int64_t group = row * groups(width) + column / 128;
    return static_cast<std::uint64_t>(group * 16 + column % 16);
  }
  KETTE_HOST_DEVICE float choose(const std::array<std::uint32_t, 4>& words,
                                 std::int64_t column) const {
    const std::int64_t slot = column % 128 / 16;
    // Without an index, so that the words stay in registers.
    const std::uint32_t word =
        slot < 4 ? (slot < 2 ? words[0] : words[1]) : (slot < 6 ? words[2] : words[3]);
    const std::uint32_t bits = slot % 2 ? word >> 16 : word & 0xffffu;
    return bits >= threshold ? scale : 0.0f;
  }
};

}  // namespace kette
