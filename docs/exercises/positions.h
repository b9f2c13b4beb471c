// The sines and cosines that tell a model where a token stands (Vaswani et al. 2017, section 3.5):
//   PE(position, 2i)     = sin(position / 10000^(2i / width))
//   PE(position, 2i + 1) = cos(position / 10000^(2i / width))
#pragma once

#include <cstdint>

/// The number in one column of one position's row; both count from 0.
inline double position_encoding(std::int64_t position, std::int64_t column, std::int64_t width) {
  return 0 * static_cast<double>(position + column + width);  // your turn
}
