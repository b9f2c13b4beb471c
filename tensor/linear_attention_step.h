// Linear attention for generating text. The past of a text is one state per key head, S and z of
// tensor/linear_attention.h, whatever its length. All is f32. The bits of the result do not depend
// on how many rows of a text come in one pass.
#pragma once

#include "tensor/decoding.h"
#include "tensor/linear_attention.h"

namespace kette {

/// A slot of the cache holds the state after a position. Row r, at positions[r] of its line, reads
/// the slot of the position before and writes its state to the slot that the table gives for its
/// own position; both may be the same slot. The rows of a line are consecutive and in order.
struct LinearStepArgs {
  Tensor qkv;     ///< [rows, width + 2 * key width]
  Tensor states;  ///< [slots, key heads * state_size(head width)]
  Tensor output;  ///< [rows, width]
  std::int64_t heads = 0;
  AttentionPattern pattern;
  CachePlaces places;

  std::int64_t key_heads() const { return heads / pattern.group; }
  std::int64_t head_width() const { return output.width() / heads; }
  void check() const;  ///< an Error unless the shapes fit; counts the FLOPs
};

namespace linear_weights {

/// The same arguments as the kernels of all devices take them.
struct Step {
  const float* qkv;
  float *states, *outputs;
  const std::int32_t *table, *lines, *positions;
  std::int64_t table_width, rows, key_heads, group, width;

  explicit Step(const LinearStepArgs& args)
      : qkv(args.qkv.data<float>()),
        states(args.states.data<float>()),
        outputs(args.output.data<float>()),
        table(args.places.table.data<std::int32_t>()),
        lines(args.places.lines.data<std::int32_t>()),
        positions(args.places.positions.data<std::int32_t>()),
        table_width(args.places.table.width()),
        rows(args.output.rows()),
        key_heads(args.key_heads()),
        group(args.pattern.group),
        width(args.head_width()) {}

  /// Whether `first` is the first row of a line in this pass and `row` belongs to that line.
  KETTE_HOST_DEVICE bool continues(std::int64_t first, std::int64_t row) const {
    return row < rows && lines[row] == lines[first] &&
           (first == 0 || lines[first - 1] != lines[first]);
  }
  KETTE_HOST_DEVICE const float* query(std::int64_t row, std::int64_t head) const {
    return of_row(row) + head * width;
  }
  KETTE_HOST_DEVICE const float* key(std::int64_t row, std::int64_t key_head) const {
    return of_row(row) + (key_heads * group + key_head) * width;
  }
  KETTE_HOST_DEVICE const float* value(std::int64_t row, std::int64_t key_head) const {
    return of_row(row) + (key_heads * (group + 1) + key_head) * width;
  }
  KETTE_HOST_DEVICE float* output(std::int64_t row, std::int64_t head) const {
    return outputs + (row * key_heads * group + head) * width;
  }
  KETTE_HOST_DEVICE float* state_of(std::int64_t row, std::int64_t key_head) const {
    return state_at(row, positions[row], key_head);
  }
  /// Null at the first position, where the state is 0.
  KETTE_HOST_DEVICE const float* state_before(std::int64_t row, std::int64_t key_head) const {
    return positions[row] > 0 ? state_at(row, positions[row] - 1, key_head) : nullptr;
  }

 private:
  KETTE_HOST_DEVICE const float* of_row(std::int64_t row) const {
    return qkv + row * key_heads * (group + 2) * width;
  }
  KETTE_HOST_DEVICE float* state_at(std::int64_t row, std::int64_t position,
                                    std::int64_t key_head) const {
    const std::int64_t slot = table[lines[row] * table_width + position];
    return states + (slot * key_heads + key_head) * state_size(width);
  }
};

}  // namespace linear_weights

}  // namespace kette
