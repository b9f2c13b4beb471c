// A KV cache: it stores keys and values of the past, so that one more token costs one position. A
// slot stores one position in every layer: [keys | values], or what the SlotLayout says. A line
// holds one sequence: a row of a table with the slots of its positions. Lines may share slots, so
// reordering a beam moves rows of integers, not keys. Slots that no line uses are collected when
// free ones run out. With an attention window a line frees the slots behind the window, so the
// memory does not grow with the length of texts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "nn/slot_layout.h"
#include "tensor/decoding.h"
#include "tensor/segments.h"

namespace kette {

class KvCache {
 public:
  /// All layers must have the same window, or all must store states.
  KvCache(std::vector<SlotLayout> layers, Device device);

  std::int64_t lines() const { return static_cast<std::int64_t>(lengths_.size()); }
  bool keeps_states() const { return common_.is_state; }
  /// The most positions of a line that one pass may read if the cache has a window; 0: any number.
  std::int64_t pass() const { return common_.pass(); }
  /// The number of positions of a line, including those outside the window.
  std::int64_t length(std::int64_t line) const { return lengths_[line]; }
  /// The length of the longest line.
  std::int64_t longest() const {
    return lengths_.empty() ? 0 : *std::max_element(lengths_.begin(), lengths_.end());
  }
  /// Adds `by` to a line's second position, and returns the new one.
  std::int32_t advance(std::int64_t line, std::int32_t by) { return seconds_[line] += by; }
  /// Adds a line with slots for `positions` positions.
  void add_line(std::int64_t positions = 0);
  /// Adds a line for each segment. Returns the places of their rows.
  CachePlaces add_lines(const Segments& segments);
  /// Adds slots to lines[i] for each row of segment i. Returns the places of the new rows, which
  /// one pass computes.
  CachePlaces extend_lines(const std::vector<std::int64_t>& lines, const Segments& segments);
  /// Makes room for `positions` more positions of all lines together, in one allocation.
  void reserve(std::int64_t positions);
  /// Adds slots for `positions` positions that one pass computes. A cache of states needs one slot,
  /// as a pass stores only its last state.
  void extend(std::int64_t line, std::int64_t positions = 1);
  /// The same for positions that are computed in a pass each. With a window later positions reuse
  /// the slots of earlier ones.
  void extend_in_passes(std::int64_t line, std::int64_t positions);
  /// The number of slots that extend_in_passes() needs.
  std::int64_t slots_for_passes(std::int64_t positions) const {
    return common_.window > 0 ? std::min(positions, common_.window) : positions;
  }
  /// Line l becomes a copy of line parents[l]. Lines stay independent when they grow. Frees memory
  /// if much less is needed.
  void select(const std::vector<std::int64_t>& parents);
  /// Removes the positions of a line from `length` on. `length` may not exceed the line's own.
  void shorten(std::int64_t line, std::int64_t length);

  /// One part of a layer: [slots, width of the part]. Valid until a line grows.
  const Tensor& layer(std::int64_t index, std::int64_t part = 0) const {
    return layers_[index][part];
  }
  /// CachePlaces::table, [lines(), table_width()], on the host.
  const std::vector<std::int32_t>& table() const { return table_; }
  std::int64_t table_width() const { return table_width_; }
  /// The table on the device of the cache.
  Tensor uploaded_table() const;
  /// Slots that no line has, until one grows. reserve() must have made room for as many.
  std::span<const std::int32_t> spare_slots(std::int64_t count) const {
    return std::span(free_).first(static_cast<std::size_t>(count));
  }
  /// How often layer() has become other tensors.
  std::int64_t moves() const { return moves_; }
  /// For tests.
  std::int64_t slots() const { return slots_; }

 private:
  std::vector<bool> slots_in_use() const;
  /// Reallocates to `slots` slots, and moves the used ones.
  void resize(std::int64_t slots, const std::vector<bool>& in_use);
  void give_back();
  void widen_table(std::int64_t positions);

  std::vector<SlotLayout> layouts_;
  SlotLayout common_;  // window, is_state and first_slots of all layers
  Device device_;
  std::int64_t slots_ = 0;                   // allocated
  std::vector<std::vector<Tensor>> layers_;  // the parts of each layer, [slots, width]
  std::vector<std::int32_t> free_;
  std::vector<std::int64_t> lengths_;
  std::vector<std::int64_t> firsts_;   // the first position of each line inside the window
  std::vector<std::int32_t> seconds_;  // the second position of each line
  std::vector<std::int32_t> table_;
  std::int64_t table_width_ = 0;
  std::int64_t moves_ = 0;
};

}  // namespace kette
