// What a slot of a cache stores in one layer (nn/kv_cache.h), and how many slots are needed.
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
  std::int64_t window = 0;  ///< store only the last `window` positions of a line; 0: all
  /// A slot holds a state that summarises all positions up to its own. A pass stores only its last
  /// state.
  bool is_state = false;
  /// Allocated at first. The cache grows when they run out.
  std::int64_t first_slots = 64;

  /// width: of the keys of a position, all heads together, and of its values. dtype: f32 or bf16.
  static SlotLayout keys_and_values(std::int64_t width, DType dtype) {
    return {{{2 * width, dtype}}};
  }
  static SlotLayout state(std::int64_t width) { return {{{width, DType::f32}}, 1, true, 1}; }

  /// Bytes of one slot.
  std::int64_t bytes() const {
    std::int64_t sum = 0;
    for (const Part& part : parts)
      sum += part.width * static_cast<std::int64_t>(size_of(part.dtype));
    return sum;
  }
  /// The most positions of a line that one pass may read if there is a window; 0: any number.
  std::int64_t pass() const { return window == 0 || is_state ? 0 : std::max(first_slots, window); }
  /// The most slots that a line of `positions` positions uses.
  std::int64_t max_slots(std::int64_t positions) const {
    if (is_state) return 2;  // the last and the next
    // A pass sees the window before it.
    return window > 0 ? std::min(positions, window + pass()) : positions;
  }
};

}  // namespace kette
