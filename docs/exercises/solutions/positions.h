#pragma once

#include <cmath>
#include <cstdint>

/// Columns 2i and 2i + 1 share a frequency.
inline double position_encoding(std::int64_t position, std::int64_t column, std::int64_t width) {
  const auto even = static_cast<double>(column / 2 * 2);
  const double angle =
      static_cast<double>(position) / std::pow(10000.0, even / static_cast<double>(width));
  return column % 2 == 0 ? std::sin(angle) : std::cos(angle);
}
