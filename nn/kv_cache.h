// Keys and values of the past, kept so that a token more costs one position (a KV cache). A slot keeps
// one position in every layer, [keys | values], and of smeared keys also what they were before, which
// the next position needs. A line is a text, a table names its slots. Lines may name the same slots, so
// a new order of hypotheses moves a row of integers and no keys, and the slots that no line names any
// more are found when room is short. Where a position is seen by the next few alone, lines let go of the
// others, and the cache is no larger however long the texts. Linear attention has no keys to keep: a slot
// then has what the attention knows after a position, a state, and lines let go of all but the last.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "tensor/decoding.h"
#include "tensor/segments.h"

namespace kette {

class KvCache {
 public:
  /// dtype: of keys and values, f32 or bf16. first_slots: that there is room for once there is a position; there is more when that is short.
  /// widths: of each layer's keys, and of its values. kept: how many positions of a line are, the last
  /// ones; 0: all.
  KvCache(std::vector<std::int64_t> widths, Device device, DType dtype,
          bool keys_are_smeared = false, std::int64_t first_slots = 64, std::int64_t kept = 0)
      : widths_(std::move(widths)),
        device_(device),
        dtype_(dtype),
        keys_are_smeared_(keys_are_smeared),
        first_slots_(first_slots),
        kept_(kept),
        keys_values_(widths_.size()),
        unsmeared_keys_(widths_.size()) {}

  /// Of linear attention; widths: of each layer's states.
  static KvCache of_states(std::vector<std::int64_t> widths, Device device,
                           std::int64_t first_slots = 1) {
    KvCache cache(std::move(widths), device, DType::f32, false, first_slots, 1);
    cache.has_states_ = true;
    return cache;
  }

  std::int64_t lines() const { return static_cast<std::int64_t>(lengths_.size()); }
  std::int64_t kept() const { return kept_; }
  bool has_states() const { return has_states_; }
  /// Positions that a line has, or had, slots for.
  std::int64_t length(std::int64_t line) const { return lengths_[line]; }
  /// Of the longest line.
  std::int64_t longest() const {
    return lengths_.empty() ? 0 : *std::max_element(lengths_.begin(), lengths_.end());
  }
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
    return kept_ > 0 ? std::min(positions, kept_) : positions;
  }
  /// Line l becomes what line parents[l] was. To extend it leaves the others alone. Memory that is far more than what
  /// is left needs is given back.
  void select(const std::vector<std::int64_t>& parents);
  /// Forgets the positions of a line from `length` on, which must have been there.
  void shorten(std::int64_t line, std::int64_t length);

  /// [slots, 2 * width] of a layer, of states [slots, width], until a line grows.
  const Tensor& layer(std::int64_t index) const { return keys_values_[index]; }
  /// [slots, width] of a layer, likewise.
  const Tensor& unsmeared_keys(std::int64_t index) const { return unsmeared_keys_[index]; }
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

  std::vector<std::int64_t> widths_;
  Device device_;
  DType dtype_;
  bool keys_are_smeared_, has_states_ = false;
  std::int64_t first_slots_, kept_;
  std::int64_t slots_ = 0;              // there is room for
  std::vector<Tensor> keys_values_;     // of each layer [slots, 2 * width]
  std::vector<Tensor> unsmeared_keys_;  // of each layer [slots, width], where keys are smeared
  std::vector<std::int32_t> free_;
  std::vector<std::int64_t> lengths_;
  std::vector<std::int64_t> firsts_;  // of each line the first position that it has not let go
  std::vector<std::int32_t> table_;
  std::int64_t table_width_ = 0;
};

}  // namespace kette
