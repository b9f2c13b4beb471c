// IEEE 754 half precision, which Kette reads and does not compute in.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace kette {

/// The same number, exactly.
inline float float_of_half(std::uint16_t half) {
  const float sign = half >> 15 ? -1.0f : 1.0f;
  const int exponent = (half >> 10) & 31;
  const float fraction = static_cast<float>(half & 1023);
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  if (exponent < 31) return sign * std::ldexp(1024 + fraction, exponent - 25);
  return fraction == 0 ? sign * std::numeric_limits<float>::infinity()
                       : std::numeric_limits<float>::quiet_NaN();
}

}  // namespace kette
