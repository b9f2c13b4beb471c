// The line where each hash first occurred: a hash table of 16 bytes a slot, at most two thirds
// full.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace kette {

class LineTable {
 public:
  /// The line of the hash; sets it to `line` if it had none.
  std::int64_t& put(std::uint64_t hash, std::int64_t line) {
    if (3 * (taken_ + 1) > 2 * slots_.size()) grow();
    Slot& slot = slot_of(hash);
    if (slot.hash == 0) {
      slot = {usable(hash), line};
      ++taken_;
    }
    return slot.line;
  }
  /// Null if the hash has none.
  std::int64_t* find(std::uint64_t hash) {
    if (taken_ == 0) return nullptr;
    Slot& slot = slot_of(hash);
    return slot.hash == 0 ? nullptr : &slot.line;
  }

 private:
  struct Slot {
    std::uint64_t hash = 0;  // 0: free
    std::int64_t line = 0;
  };

  static std::uint64_t usable(std::uint64_t hash) { return hash == 0 ? 1 : hash; }
  /// The slot of the hash, or the free slot for it; linear probing.
  Slot& slot_of(std::uint64_t hash) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = usable(hash) & mask;
    while (slots_[at].hash != 0 && slots_[at].hash != usable(hash)) at = (at + 1) & mask;
    return slots_[at];
  }
  void grow() {
    const std::vector<Slot> old =
        std::exchange(slots_, std::vector<Slot>(slots_.empty() ? 1024 : 2 * slots_.size()));
    for (const Slot& slot : old) {
      if (slot.hash != 0) slot_of(slot.hash) = slot;
    }
  }

  std::vector<Slot> slots_;  // their number is a power of two
  std::size_t taken_ = 0;
};

}  // namespace kette
