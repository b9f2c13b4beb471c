// Dropout masks by the row: fill_mask(mask, row, width, out) writes DropoutMask::at(row, 0 .. width
// - 1) to out. A group of 128 neighbours is served by the Philox blocks 16 * group .. 16 * group +
// 15, one per vector lane; word w of lane l holds columns 32 w + l (low half) and 32 w + 16 + l
// (high half). See tensor/random.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "tensor/random.h"

namespace kette {

inline std::uint32_t high_product(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>((static_cast<std::uint64_t>(a) * b) >> 32);
}

/// The masks of the 128 elements of one group: philox() with the lanes as the inner loop, which
/// compilers vectorise.
inline void fill_mask_group(const DropoutMask& mask, std::uint64_t group, float* out) {
  constexpr int kLanes = 16;
  const std::uint64_t first = group * kLanes;
  std::uint32_t words[4][kLanes];
#pragma omp simd
  for (int lane = 0; lane < kLanes; ++lane) {
    words[0][lane] = static_cast<std::uint32_t>(first) + static_cast<std::uint32_t>(lane);
    words[1][lane] = static_cast<std::uint32_t>(first >> 32);
    words[2][lane] = static_cast<std::uint32_t>(mask.key.stream);
    words[3][lane] = static_cast<std::uint32_t>(mask.key.stream >> 32);
  }
  std::uint32_t k0 = static_cast<std::uint32_t>(mask.key.seed);
  std::uint32_t k1 = static_cast<std::uint32_t>(mask.key.seed >> 32);
  for (int round = 0; round < 10; ++round) {
#pragma omp simd
    for (int lane = 0; lane < kLanes; ++lane) {
      const std::uint32_t c0 = words[0][lane], c2 = words[2][lane];
      words[0][lane] = high_product(0xCD9E8D57u, c2) ^ words[1][lane] ^ k0;
      words[2][lane] = high_product(0xD2511F53u, c0) ^ words[3][lane] ^ k1;
      words[1][lane] = 0xCD9E8D57u * c2;
      words[3][lane] = 0xD2511F53u * c0;
    }
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  for (int word = 0; word < 4; ++word) {
    float* low = out + word * 2 * kLanes;
    float* high = low + kLanes;
#pragma omp simd
    for (int lane = 0; lane < kLanes; ++lane) {
      low[lane] = (words[word][lane] & 0xffffu) >= mask.threshold ? mask.scale : 0.0f;
      high[lane] = (words[word][lane] >> 16) >= mask.threshold ? mask.scale : 0.0f;
    }
  }
}

inline void fill_mask(const DropoutMask& mask, std::int64_t row, std::int64_t width, float* out) {
  constexpr std::int64_t kGroup = 128;
  const std::int64_t first = row * DropoutMask::groups(width);
  for (std::int64_t begin = 0; begin < width; begin += kGroup) {
    const auto group = static_cast<std::uint64_t>(first + begin / kGroup);
    if (width - begin >= kGroup) {
      fill_mask_group(mask, group, out + begin);
    } else {
      float last[kGroup];
      fill_mask_group(mask, group, last);
      std::memcpy(out + begin, last, static_cast<std::size_t>(width - begin) * sizeof(float));
    }
  }
}

}  // namespace kette
