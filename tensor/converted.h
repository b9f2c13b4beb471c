// Numbers in another type, on both devices.
#pragma once

#include <limits>
#include <type_traits>

#include "tensor/dtype.h"

namespace kette {

/// A number in another type. Floating point becomes the whole number towards 0, NaN 0, and what is
/// too large the largest that there is: C++ leaves those undefined.
template <class To, class From>
KETTE_HOST_DEVICE inline To converted(From value) {
  if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
    constexpr To kLeast = std::numeric_limits<To>::min(), kMost = std::numeric_limits<To>::max();
    constexpr From kBelow = static_cast<From>(kLeast);  // a power of 2, so exact, and -kBelow too
    if (value != value) return 0;
    return value <= kBelow ? kLeast : value >= -kBelow ? kMost : static_cast<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

}  // namespace kette
