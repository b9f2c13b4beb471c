// Multi-head attention (Vaswani et al. 2017, section 3.2.2): project, attend, project back. Points, of
// self- and cross-attention alike: those of the projections; path/probabilities, [rows, heads, keys],
// before dropout; and path/heads, [rows, heads * head width], head h in columns [h, h + 1) * head width.
// Heads are those that are computed (nn/head_shape.h); the dropout of each is its own.
#pragma once

#include "nn/mixer.h"

namespace kette {

/// Positions as turns of queries and keys (autograd/ops/rotary.h).
struct Rotation {
  Tensor table;      ///< rotary_table()
  Tensor positions;  ///< i32 [rows]

  /// Nothing where the table is undefined.
  static std::optional<Rotation> of(const AttentionContext& sequences, const Tensor& table);
};

/// Projects queries, keys and values in one product. All heads of one read one of the keys and values, or values
/// are as wide as keys.
struct MultiHeadSelfAttention {
  std::string path;
  Linear query_key_value;
  std::shared_ptr<const Mixer> mixer;
  Linear output;
  std::int64_t layer;  ///< which of a stack's it is
  HeadShape heads;
  AttentionPattern pattern;
  double dropout_rate;

  MultiHeadSelfAttention(const Scope& scope, std::int64_t layer, std::int64_t width,
                         const HeadShape& heads, const AttentionPattern& pattern,
                         double dropout_rate, const MapOptions& maps = {},
                         MakeMixer make_mixer = softmax_mixer);
  /// Of all heads of the keys, and of the values.
  std::int64_t key_width() const { return heads.total_width() / pattern.group; }
  /// What a KvCache keeps for it; dtype: of keys and values.
  SlotLayout slots(DType dtype) const { return mixer->slots(heads, pattern, dtype); }
  Variable operator()(const Variable& x, const AttentionContext& sequences, Run& run,
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
  /// What a KvCache keeps of the memory for it; dtype: of keys and values.
  SlotLayout slots(DType dtype) const {
    return SlotLayout::keys_and_values(heads.total_width(), dtype);
  }
  Variable operator()(const Variable& x, const AttentionContext& sequences, Run& run) const;
};

}  // namespace kette
