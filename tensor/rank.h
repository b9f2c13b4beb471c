// The order of a row's entries, the likeliest first, as integers.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>

#include "tensor/dtype.h"

namespace kette {

/// Larger is likelier: by value, then the lower entry. 0: no entry.
using Rank = std::uint64_t;

/// An integer that rises with the value, which must not be NaN.
KETTE_HOST_DEVICE inline std::uint32_t rising_bits(float value) {
  value += 0.0f;  // -0 becomes 0, its equal
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  const std::uint32_t is_negative = bits >> 31;
  return bits ^ ((0u - is_negative) | 0x80000000u);  // no branch: signs are hard to predict
}

KETTE_HOST_DEVICE inline Rank rank_of(float value, std::int64_t entry) {
  if (!(value > -std::numeric_limits<float>::infinity())) return 0;
  return Rank{rising_bits(value)} << 32 | ~static_cast<std::uint32_t>(entry);
}

KETTE_HOST_DEVICE inline float value_of(Rank rank) {
  const auto rising = static_cast<std::uint32_t>(rank >> 32);
  const std::uint32_t is_negative = ~rising >> 31;
  const std::uint32_t bits = rising ^ ((0u - is_negative) | 0x80000000u);
  float value = 0;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

KETTE_HOST_DEVICE inline std::int32_t entry_of(Rank rank) {
  return static_cast<std::int32_t>(~static_cast<std::uint32_t>(rank));
}

}  // namespace kette
