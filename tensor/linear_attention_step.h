// Linear attention of rows that texts grow by: what is kept of the past is a state of each head of the
// keys, S and z of tensor/linear_attention.h, whatever the length. f32, and to the last bit the same
// whether the rows of a text come one a pass or many.
#pragma once

#include "tensor/decoding.h"
#include "tensor/linear_attention.h"

namespace kette {

/// A slot of the cache keeps the state after a position: row r, at positions[r] of a line, starts from
/// the slot of the position before, and leaves its own in the slot that the table names for it, which
/// may be the same. The rows of a line lie together, in order.
struct LinearStepArgs {
  Tensor qkv;     ///< [rows, width + 2 * key width]
  Tensor states;  ///< [slots, key heads * state_size(head width)]
  Tensor output;  ///< [rows, width]
  std::int64_t heads = 0;
  AttentionPattern pattern;
  CachePlaces places;

  std::int64_t key_heads() const { return heads / pattern.group; }
  std::int64_t head_width() const { return output.width() / heads; }
  void check() const;  ///< an Error unless the shapes fit together; counts the FLOPs
};

namespace linear_weights {

/// The same as the kernels of all devices take it.
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

  /// Whether `row` is of the line whose first row of the pass `first` is; never, if that is another.
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
  /// Null at the first position: all is 0.
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
