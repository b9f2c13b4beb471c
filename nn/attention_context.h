// The sequences that the rows of a pass belong to: where each row stands, and which keys its query
// meets. There are two kinds, and a layer need not know which it is given: in training and scoring
// the sequences are whole and lie end to end (PackedSequences); in decoding they grow by some rows
// a pass, and the keys and values of the past lie in a cache (nn/cached_sequences.h).
#pragma once

#include "nn/layers.h"
#include "tensor/segments.h"

namespace kette {

/// Queries and the keys and values that they meet, laid end to end: sequence i of the one side meets
/// sequence i of the other. What attention is, spelled out for those who look inside.
struct QueriesAndKeys {
  Variable query;      ///< [rows, width]
  Variable key_value;  ///< [keys, 2 * key width]
  Segments queries, keys;
  AttentionPattern pattern{};
};

struct CachedRows;  // nn/cached_sequences.h

class AttentionContext {
 public:
  virtual ~AttentionContext() = default;

  /// Of each row within its sequence: i32 [rows].
  virtual const Tensor& positions() const = 0;
  /// Likewise of a second stream of positions (data/tokenizers/position_stream.h); undefined where there is none.
  virtual const Tensor& second_positions() const = 0;
  /// Likewise, where the pass is computed.
  const Tensor& positions_on(Device device) const {
    if (!positions_there_.defined()) positions_there_ = positions().to(device);
    return positions_there_;
  }
  /// The longest sequence, after this pass.
  virtual std::int64_t longest() const = 0;
  /// Of whole sequences; null for those that grow.
  virtual const Segments* segments() const { return nullptr; }
  /// Of sequences that grow, where their past lies; null for whole ones.
  virtual const CachedRows* cached() const { return nullptr; }

  /// The paper's. layer: which of the model's self-attentions it is; qkv: [rows, width + 2 * key width] ->
  /// [rows, width].
  virtual Variable self_attention(std::int64_t layer, const Variable& qkv,
                                  const AttentionOptions& options) const = 0;
  /// layer: which of the model's cross-attentions it is; key_value: its projection of the memory.
  /// query: [rows, width] -> [rows, width].
  virtual Variable cross_attention(std::int64_t layer, const Variable& query,
                                   const Linear& key_value, const AttentionOptions& options,
                                   const Run& run) const = 0;
  /// What the calls above compute, spelled out; after them.
  virtual QueriesAndKeys self_pairs(std::int64_t layer, const Variable& qkv,
                                    const AttentionOptions& options) const = 0;
  virtual QueriesAndKeys cross_pairs(std::int64_t layer, const Variable& query) const = 0;

 private:
  mutable Tensor positions_there_;  // once a layer has asked
};

/// Whole sequences, and the encoder's output that they are decoded from, if any.
class PackedSequences final : public AttentionContext {
 public:
  PackedSequences(const Segments& segments)  // NOLINT(google-explicit-constructor)
      : PackedSequences(segments, {}, {}) {}
  /// memory: [memory rows, width].
  PackedSequences(const Segments& segments, Variable memory, const Segments& memory_segments,
                  Tensor second_positions = {});

  const Tensor& positions() const override { return positions_; }
  const Tensor& second_positions() const override { return second_positions_; }
  std::int64_t longest() const override { return segments_.longest(); }
  const Segments* segments() const override { return &segments_; }
  Variable self_attention(std::int64_t layer, const Variable& qkv,
                          const AttentionOptions& options) const override;
  Variable cross_attention(std::int64_t layer, const Variable& query, const Linear& key_value,
                           const AttentionOptions& options, const Run& run) const override;
  QueriesAndKeys self_pairs(std::int64_t layer, const Variable& qkv,
                            const AttentionOptions& options) const override;
  QueriesAndKeys cross_pairs(std::int64_t layer, const Variable& query) const override;

 private:
  Segments segments_, memory_segments_;
  Variable memory_;
  Tensor positions_, second_positions_;
  mutable Variable key_value_;  // of the last cross-attention
};

}  // namespace kette
