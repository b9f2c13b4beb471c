#include "nn/attention_context.h"

#include "autograd/ops/attention.h"
#include "autograd/ops/shaping.h"
#include "nn/positions.h"

namespace kette {

PackedSequences::PackedSequences(const Segments& segments, Variable memory,
                                 const Segments& memory_segments, Tensor second_positions)
    : segments_(segments),
      memory_segments_(memory_segments),
      memory_(std::move(memory)),
      positions_(row_positions(segments)),
      second_positions_(std::move(second_positions)) {}

Variable PackedSequences::self_attention(std::int64_t, const Variable& qkv,
                                         const AttentionOptions& options) const {
  return kette::self_attention(qkv, segments_, options);
}

Variable PackedSequences::cross_attention(std::int64_t, const Variable& query,
                                          const Linear& key_value, const AttentionOptions& options,
                                          const Run& run) const {
  key_value_ = key_value(memory_, run);
  return kette::cross_attention(query, key_value_, segments_, memory_segments_, options);
}

AttentionInputs PackedSequences::self_inputs(std::int64_t, const Variable& qkv,
                                             const AttentionOptions& options) const {
  const std::int64_t all = qkv.value().width(), width = options.query_width(all);
  return {columns(qkv, 0, width), columns(qkv, width, all), segments_, segments_, options.pattern};
}

AttentionInputs PackedSequences::cross_inputs(std::int64_t, const Variable& query) const {
  return {query, key_value_, segments_, memory_segments_};
}

}  // namespace kette
