// What a slot of a cache (nn/kv_cache.h) keeps in one layer, and what becomes of slots.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tensor/dtype.h"

namespace kette {

struct SlotLayout {
  struct Part {
    std::int64_t width;
    DType dtype;
  };
  std::vector<Part> parts;
  std::int64_t kept = 0;  ///< how many positions of a line are, the last ones; 0: all
  /// A slot holds all that is known after a position, so that a pass over some leaves its last alone.
  bool is_state = false;
  /// That there is room for at first; more is made when that is short.
  std::int64_t first_slots = 64;

  /// width: of all keys of a position, and of all its values. dtype: f32 or bf16.
  static SlotLayout keys_and_values(std::int64_t width, DType dtype) {
    return {{{2 * width, dtype}}};
  }
  static SlotLayout state(std::int64_t width) { return {{{width, DType::f32}}, 1, true, 1}; }

  std::int64_t bytes() const {
    std::int64_t sum = 0;
    for (const Part& part : parts)
      sum += part.width * static_cast<std::int64_t>(size_of(part.dtype));
    return sum;
  }
  /// How many slots a line of so many positions needs at once.
  std::int64_t most_slots(std::int64_t positions) const {
    if (is_state) return 2;  // the last and the next
    return kept > 0 ? std::min(positions, kept) : positions;
  }
};

}  // namespace kette
