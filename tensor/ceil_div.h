// Rounding up, for the kernels of all devices.
#pragma once

#include <cstdint>

namespace kette {

/// ceil_div: how many blocks of `size` cover `count`. round_up: the elements of those blocks.
constexpr std::int64_t ceil_div(std::int64_t count, std::int64_t size) {
  return (count + size - 1) / size;
}
constexpr std::int64_t round_up(std::int64_t count, std::int64_t size) {
  return ceil_div(count, size) * size;
}

}  // namespace kette
