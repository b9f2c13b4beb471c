// Keys and values of the past, kept so that a token more costs one position (a KV cache). A slot keeps
// one position in every layer, [keys | values], or what else its layout says. A line is a text; a table
// names its slots. Lines may name the same slots, so a new order of hypotheses moves a row of integers and
// no keys, and the slots that no line names any more are found when room is short. Where a position is seen
// by the next few alone, lines let go of the others, and the cache is no larger however long the texts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "nn/slot_layout.h"
#include "tensor/decoding.h"
#include "tensor/segments.h"

namespace kette {

class KvCache {
 public:
  /// All layers keep as many positions, or all keep states.
  KvCache(std::vector<SlotLayout> layers, Device device);

  std::int64_t lines() const { return static_cast<std::int64_t>(lengths_.size()); }
  bool keeps_states() const { return of_all_.is_state; }
  /// How many positions of a line a pass may read so that room is for what is kept alone; 0: all at once.
  std::int64_t pass() const {
    if (of_all_.kept == 0 || of_all_.is_state) return 0;
    return std::max(of_all_.first_slots, of_all_.kept);
  }
  /// Positions that a line has, or had, slots for.
  std::int64_t length(std::int64_t line) const { return lengths_[line]; }
  /// Of the longest line.
  std::int64_t longest() const {
    return lengths_.empty() ? 0 : *std::max_element(lengths_.begin(), lengths_.end());
  }
  /// Where a line's second stream of positions is, after it has gone on by so many.
  std::int32_t advance(std::int64_t line, std::int32_t by) { return seconds_[line] += by; }
  /// A line more, with slots for so many positions.
  void add_line(std::int64_t positions = 0);
  /// A line more for each segment; the places of their rows.
  CachePlaces add_lines(const Segments& segments);
  /// Slots for as many positions more of lines[i] as segment i is long. The places of the new rows, all of one pass.
  CachePlaces extend_lines(const std::vector<std::int64_t>& lines, const Segments& segments);
  /// Room for so many positions more, of all lines together, so that it is made at once.
  void reserve(std::int64_t positions);
  /// Slots for so many positions more; of states one, for a pass over them leaves its last alone.
  void extend(std::int64_t line, std::int64_t positions = 1);
  /// Likewise, each of a pass of its own, so that they take the places of those that are let go.
  void extend_in_passes(std::int64_t line, std::int64_t positions);
  /// How many slots that takes.
  std::int64_t slots_for_passes(std::int64_t positions) const {
    return of_all_.kept > 0 ? std::min(positions, of_all_.kept) : positions;
  }
  /// Line l becomes what line parents[l] was. To extend it leaves the others alone. Memory that is far more than what
  /// is left needs is given back.
  void select(const std::vector<std::int64_t>& parents);
  /// Forgets the positions of a line from `length` on, which must have been there.
  void shorten(std::int64_t line, std::int64_t length);

  /// A part of a layer, [slots, its width], until a line grows.
  const Tensor& layer(std::int64_t index, std::int64_t part = 0) const {
    return layers_[index][part];
  }
  /// CachePlaces::table, [lines(), table_width()], on the host.
  const std::vector<std::int32_t>& table() const { return table_; }
  std::int64_t table_width() const { return table_width_; }
  /// The same on the device.
  Tensor uploaded_table() const;
  /// For tests.
  std::int64_t slots() const { return slots_; }

 private:
  std::vector<bool> slots_in_use() const;
  /// Moves what is in use into so many slots.
  void resize(std::int64_t slots, const std::vector<bool>& in_use);
  void give_back();
  void widen_table(std::int64_t positions);

  std::vector<SlotLayout> layouts_;
  SlotLayout of_all_;  // layers
  Device device_;
  std::int64_t slots_ = 0;                   // there is room for
  std::vector<std::vector<Tensor>> layers_;  // of each its parts, [slots, width]
  std::vector<std::int32_t> free_;
  std::vector<std::int64_t> lengths_;
  std::vector<std::int64_t> firsts_;   // of each line the first position that it has not let go
  std::vector<std::int32_t> seconds_;  // where the second stream of positions of each line is
  std::vector<std::int32_t> table_;
  std::int64_t table_width_ = 0;
};

}  // namespace kette
