// What samplers take random numbers for.
#pragma once

#include <cstdint>

namespace kette {

/// Part of the hash that a random number is (tensor/splitmix.h), so that no two uses share numbers.
enum class Purpose : std::uint64_t {
  sentences,
  batches,
  source_pieces,
  target_pieces,
  holes,
  rest,
  shares,
  offset = 100,
  order,
  masks
};

}  // namespace kette
