// The sequences that the rows of a forward pass belong to: the position of each row, and the keys
// that its query attends to. There are two kinds, and layers work with either. In training and
// scoring the sequences are complete and stored end to end (PackedSequences). In decoding they grow
// in each pass, and the keys and values of the past are in a cache (nn/cached_sequences.h).
#pragma once

#include "nn/layers.h"
#include "tensor/segments.h"

namespace kette {

/// The inputs of an attention, for inspection. Sequences are stored end to end. Sequence i of the
/// queries attends to sequence i of the keys and values.
struct AttentionInputs {
  Variable query;      ///< [rows, width]
  Variable key_value;  ///< [keys, 2 * key width]
  Segments queries, keys;
  AttentionPattern pattern{};
};

struct CachedRows;  // nn/cached_sequences.h

class AttentionContext {
 public:
  virtual ~AttentionContext() = default;

  /// The position of each row in its sequence: i32 [rows].
  virtual const Tensor& positions() const = 0;
  /// A second stream of positions, i32 [rows] (data/tokenizers/position_stream.h); undefined if there is none.
  virtual const Tensor& second_positions() const = 0;
  /// positions() on the device of the pass.
  const Tensor& positions_on(Device device) const {
    if (!positions_there_.defined()) positions_there_ = positions().to(device);
    return positions_there_;
  }
  /// The length of the longest sequence after this pass.
  virtual std::int64_t longest() const = 0;
  /// The segments of complete sequences; null if sequences grow.
  virtual const Segments* segments() const { return nullptr; }
  /// The cache of sequences that grow; null if sequences are complete.
  virtual const CachedRows* cached() const { return nullptr; }

  /// Self-attention number `layer` of the model. qkv: [rows, width + 2 * key width] -> [rows, width].
  virtual Variable self_attention(std::int64_t layer, const Variable& qkv,
                                  const AttentionOptions& options) const = 0;
  /// Cross-attention number `layer` of the model. query: [rows, width] -> [rows, width]. key_value:
  /// the projection of the memory.
  virtual Variable cross_attention(std::int64_t layer, const Variable& query,
                                   const Linear& key_value, const AttentionOptions& options,
                                   const Run& run) const = 0;
  /// The inputs of the calls above. Call these afterwards.
  virtual AttentionInputs self_inputs(std::int64_t layer, const Variable& qkv,
                                      const AttentionOptions& options) const = 0;
  virtual AttentionInputs cross_inputs(std::int64_t layer, const Variable& query) const = 0;

 private:
  mutable Tensor positions_there_;  // a copy, made at the first request
};

/// Complete sequences, and the encoder's output that the decoder attends to, if any.
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
  AttentionInputs self_inputs(std::int64_t layer, const Variable& qkv,
                              const AttentionOptions& options) const override;
  AttentionInputs cross_inputs(std::int64_t layer, const Variable& query) const override;

 private:
  Segments segments_, memory_segments_;
  Variable memory_;
  Tensor positions_, second_positions_;
  mutable Variable key_value_;  // of the last cross-attention
};

}  // namespace kette
