// Dropout masks by row: fill_mask(mask, row, width, out) writes
// DropoutMask::at(row, 0 .. width - 1) to out. A group of 128 neighbours uses the Philox blocks
// 16 * group .. 16 * group + 15, one per vector lane; word w of lane l holds columns 32 w + l (low
// half) and 32 w + 16 + l (high half). See tensor/random.h.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "tensor/cpu/vector.h"
#include "tensor/random.h"

namespace kette {

namespace cpu {

/// The masks of the 128 elements of one group: philox() for as many blocks as a vector has 32-bit
/// lanes. Even and odd blocks are separate, as the multiplier needs them: each word is the low half
/// of a 64-bit lane. The high halves are never read.
inline void fill_mask_group(const DropoutMask& mask, std::uint64_t group, float* out) {
  using S = Simd<float>;
  typedef std::uint64_t Lanes __attribute__((vector_size(kVectorBytes)));
  typedef std::uint32_t Words __attribute__((vector_size(kVectorBytes)));
  constexpr int kBlocks = 16;
  constexpr std::uint64_t kEven[] = {0, 2, 4, 6, 8, 10, 12, 14};
  Lanes even;
  std::memcpy(&even, kEven, sizeof even);
  const Words threshold = Words{} + mask.threshold;
  const S::Vector scale = S::Vector{} + mask.scale, zero{};
  for (int first = 0; first < kBlocks; first += S::kLanes) {
    Lanes counters[4][2];
    for (int odd = 0; odd < 2; ++odd) {
      counters[0][odd] = even + (group * kBlocks + static_cast<std::uint64_t>(first + odd));
      counters[1][odd] = Lanes{} + ((group * kBlocks) >> 32);
      counters[2][odd] = Lanes{} + mask.key.stream;
      counters[3][odd] = Lanes{} + (mask.key.stream >> 32);
    }
    std::uint64_t k0 = mask.key.seed, k1 = mask.key.seed >> 32;
#pragma GCC unroll 10
    for (int round = 0; round < 10; ++round) {
#pragma GCC unroll 2
      for (int odd = 0; odd < 2; ++odd) {
        const Lanes product0 = multiply_low_halves(counters[0][odd], 0xD2511F53u);
        const Lanes product1 = multiply_low_halves(counters[2][odd], 0xCD9E8D57u);
        counters[0][odd] = (product1 >> 32) ^ counters[1][odd] ^ k0;
        counters[1][odd] = product1;
        counters[2][odd] = (product0 >> 32) ^ counters[3][odd] ^ k1;
        counters[3][odd] = product0;
      }
      k0 += 0x9E3779B9u;
      k1 += 0xBB67AE85u;
    }
#pragma GCC unroll 4
    for (int word = 0; word < 4; ++word) {
      const auto bits =
          std::bit_cast<Words>((counters[word][0] & 0xffffffffu) | (counters[word][1] << 32));
      float* low = out + word * 2 * kBlocks + first;
      S::store(low, (bits & 0xffffu) >= threshold ? scale : zero);
      S::store(low + kBlocks, (bits >> 16) >= threshold ? scale : zero);
    }
  }
}

}  // namespace cpu

/// Writes at least the columns [from, to).
inline void fill_mask(const DropoutMask& mask, std::int64_t row, std::int64_t width,
                      std::int64_t from, std::int64_t to, float* out) {
  constexpr std::int64_t kGroup = 128;
  const std::int64_t first = row * DropoutMask::groups(width);
  for (std::int64_t begin = from / kGroup * kGroup; begin < to; begin += kGroup) {
    const auto group = static_cast<std::uint64_t>(first + begin / kGroup);
    if (width - begin >= kGroup) {
      cpu::fill_mask_group(mask, group, out + begin);
    } else {
      float last[kGroup];
      cpu::fill_mask_group(mask, group, last);
      std::memcpy(out + begin, last, static_cast<std::size_t>(width - begin) * sizeof(float));
    }
  }
}

inline void fill_mask(const DropoutMask& mask, std::int64_t row, std::int64_t width, float* out) {
  fill_mask(mask, row, width, 0, width, out);
}

}  // namespace kette
