// Multi-head attention (Vaswani et al. 2017, section 3.2.2): project, attend, project back. Points, of
// self- and cross-attention alike: those of the projections; path/probabilities, [rows, heads, keys],
// before dropout; and path/heads, [rows, heads * head width], head h in columns [h, h + 1) * head width.
// Heads are those that are computed (nn/head_shape.h); the dropout of each is its own.
#pragma once

#include "nn/head_shape.h"
#include "nn/sequences.h"
#include "tensor/linear_attention.h"

namespace kette {

/// Positions as turns of queries and keys (autograd/ops/rotary.h).
struct Rotation {
  Tensor table;      ///< rotary_table()
  Tensor positions;  ///< i32 [rows]

  /// Nothing where the table is undefined.
  static std::optional<Rotation> of(const Sequences& sequences, const Tensor& table);
};

/// Projects queries, keys and values in one product. All heads of one read one of the keys and values, or values
/// are as wide as keys. Keys may be smeared (autograd/ops/smear.h), by
/// sigmoid(smear) of each head, before they are turned.
struct MultiHeadSelfAttention {
  std::string path;
  Linear query_key_value;
  Variable smear;  ///< [heads], or undefined: keys are not smeared
  Linear output;
  std::int64_t layer;  ///< which of a stack's it is
  HeadShape heads;
  AttentionPattern pattern;
  double dropout_rate;

  MultiHeadSelfAttention(const Scope& scope, std::int64_t layer, std::int64_t width,
                         const HeadShape& heads, const AttentionPattern& pattern,
                         double dropout_rate, const MapOptions& maps = {},
                         bool smeared_keys = false);
  bool smears_keys() const { return smear.leaf() != nullptr; }
  /// Of all heads of the keys, and of the values.
  std::int64_t key_width() const { return heads.total_width() / pattern.group; }
  /// Numbers that a slot of a KvCache keeps: a position's keys (of smeared ones two) and values, or a state.
  std::int64_t slot_width() const {
    if (!pattern.is_linear()) return (smears_keys() ? 3 : 2) * key_width();
    return heads.count / pattern.group * linear_weights::state_size(heads.width);
  }
  Variable operator()(const Variable& x, const Sequences& sequences, Run& run,
                      const std::optional<Rotation>& rotation = {}) const;
};

/// Takes keys and values from the memory, the encoder's output.
struct MultiHeadCrossAttention {
  std::string path;
  Linear query, key_value, output;
  std::int64_t layer;
  HeadShape heads;
  double dropout_rate;

  MultiHeadCrossAttention(const Scope& scope, std::int64_t layer, std::int64_t width,
                          const HeadShape& heads, double dropout_rate, const MapOptions& maps = {});
  Variable operator()(const Variable& x, const Sequences& sequences, Run& run) const;
};

}  // namespace kette
