// Multi-head attention (Vaswani et al. 2017, section 3.2.2): project, attend, project back. Points
// of self- and cross-attention: the outputs of the projections; path/probabilities
// [rows, heads, keys], before dropout; path/heads [rows, heads * head width], with head h in
// columns [h, h + 1) * head width. Heads are the computed ones (nn/head_shape.h). Each has its own dropout.
#pragma once

#include "nn/mixer.h"

namespace kette {

/// Rotary positions: they rotate queries and keys (autograd/ops/rotary.h).
struct Rotation {
  Tensor table;      ///< rotary_table()
  Tensor positions;  ///< i32 [rows]

  /// Empty if the table is undefined.
  static std::optional<Rotation> of(const AttentionContext& sequences, const Tensor& table);
};

/// Projects queries, keys and values in one product. With grouped heads, pattern.group query heads
/// share one head of keys and values.
struct MultiHeadSelfAttention {
  std::string path;
  Linear query_key_value;
  std::shared_ptr<const Mixer> mixer;
  Linear output;
  std::int64_t layer;  ///< its number in the stack
  HeadShape heads;
  AttentionPattern pattern;
  double dropout_rate;

  MultiHeadSelfAttention(const Scope& scope, std::int64_t layer, std::int64_t width,
                         const HeadShape& heads, const AttentionPattern& pattern,
                         double dropout_rate, const MapOptions& maps = {},
                         MakeMixer make_mixer = softmax_mixer);
  /// The width of the keys of all heads together, and of the values.
  std::int64_t key_width() const { return heads.total_width() / pattern.group; }
  /// What a KvCache stores for this attention. dtype: the type of keys and values.
  SlotLayout slots(DType dtype) const { return mixer->slots(heads, pattern, dtype); }
  /// x: [rows, width] -> [rows, width].
  Variable operator()(const Variable& x, const AttentionContext& sequences, Run& run,
                      const std::optional<Rotation>& rotation = {}) const;
};

/// Queries attend to keys and values of the memory, the encoder's output.
struct MultiHeadCrossAttention {
  std::string path;
  Linear query, key_value, output;
  std::int64_t layer;
  HeadShape heads;
  double dropout_rate;

  MultiHeadCrossAttention(const Scope& scope, std::int64_t layer, std::int64_t width,
                          const HeadShape& heads, double dropout_rate, const MapOptions& maps = {});
  /// What a KvCache stores of the memory. dtype: the type of keys and values.
  SlotLayout slots(DType dtype) const {
    return SlotLayout::keys_and_values(heads.total_width(), dtype);
  }
  /// x: [rows, width] -> [rows, width].
  Variable operator()(const Variable& x, const AttentionContext& sequences, Run& run) const;
};

}  // namespace kette
