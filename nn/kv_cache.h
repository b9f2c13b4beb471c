// Keys and values of the past, kept so that a token more costs one position (a KV cache). A slot
// keeps one position in every layer, [keys | values]; a line is a text, a table names its slots. Lines
// may name the same slots, so a new order of hypotheses moves a row of integers and no keys, and the
// slots that no line names any more are found when room is short.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tensor/decoding.h"
#include "tensor/segments.h"

namespace kette {

class KvCache {
 public:
  /// first_slots: that there is room for once there is a position; there is more when that is short.
  KvCache(std::int64_t layers, std::int64_t width, Device device, std::int64_t first_slots = 64)
      : layers_(layers), width_(width), device_(device), first_slots_(first_slots) {}

  std::int64_t lines() const { return static_cast<std::int64_t>(lengths_.size()); }
  /// Positions that a line has slots for.
  std::int64_t length(std::int64_t line) const { return lengths_[static_cast<std::size_t>(line)]; }
  /// Of the longest line.
  std::int64_t longest() const {
    return lengths_.empty() ? 0 : *std::max_element(lengths_.begin(), lengths_.end());
  }
  /// A line more, with slots for so many positions.
  void add_line(std::int64_t positions = 0);
  /// A line more for each segment; the places of their rows.
  CachePlaces add_lines(const Segments& segments);
  /// Room for so many positions more, of all lines together, so that it is made at once.
  void reserve(std::int64_t positions);
  /// Slots for so many positions more.
  void extend(std::int64_t line, std::int64_t positions = 1);
  /// Line l becomes what line parents[l] was. To extend it leaves the others alone.
  void select(const std::vector<std::int64_t>& parents);

  /// [slots, 2 * width] of a layer, until a line grows.
  Tensor layer(std::int64_t index) const;
  /// CachePlaces::table, [lines(), table_width()], on the host.
  const std::vector<std::int32_t>& table() const { return table_; }
  std::int64_t table_width() const { return table_width_; }
  /// The same on the device.
  Tensor uploaded_table() const;
  /// For tests.
  std::int64_t slots() const { return slots_; }

 private:
  std::vector<bool> slots_in_use() const;
  void grow(std::int64_t slots);
  void widen_table(std::int64_t positions);

  std::int64_t layers_, width_;
  Device device_;
  std::int64_t first_slots_;
  std::int64_t slots_ = 0;  // there is room for
  Tensor keys_values_;      // [layers, slots, 2 * width]
  std::vector<std::int32_t> free_;
  std::vector<std::int64_t> lengths_;
  std::vector<std::int32_t> table_;
  std::int64_t table_width_ = 0;
};

}  // namespace kette
