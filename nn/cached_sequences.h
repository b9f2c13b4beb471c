// Sequences that grow in each pass. One KvCache stores the keys and values of their past, and
// another those of the memory, which does not change. For inference only: nothing is recorded on a
// tape.
#pragma once

#include "nn/attention_context.h"
#include "nn/kv_cache.h"

namespace kette {

/// The rows of a pass, and the cache that stores their past and has slots for them.
struct CachedRows {
  const KvCache* past = nullptr;
  CachePlaces places{};
};

class CachedSequences final : public AttentionContext {
 public:
  /// places: of the rows of this pass. `past` must have slots for them already.
  CachedSequences(const KvCache& past, CachePlaces places) : rows_{&past, std::move(places)} {}
  /// memory_places: their positions are the last ones of the memory, so that a row attends to all
  /// of it.
  CachedSequences(const KvCache& past, CachePlaces places, const KvCache& memory,
                  CachePlaces memory_places)
      : rows_{&past, std::move(places)}, memory_{&memory, std::move(memory_places)} {}

  const Tensor& positions() const override { return rows_.places.positions; }
  const Tensor& second_positions() const override { return rows_.places.second_positions; }
  std::int64_t longest() const override { return rows_.past->longest(); }
  const CachedRows* cached() const override { return &rows_; }
  Variable self_attention(std::int64_t layer, const Variable& qkv,
                          const AttentionOptions& options) const override;
  Variable cross_attention(std::int64_t layer, const Variable& query, const Linear& key_value,
                           const AttentionOptions& options, const Run& run) const override;
  AttentionInputs self_inputs(std::int64_t layer, const Variable& qkv,
                              const AttentionOptions& options) const override;
  AttentionInputs cross_inputs(std::int64_t layer, const Variable& query) const override;

 private:
  CachedRows rows_, memory_;
};

/// Writes keys and values to one layer of a cache: the columns of x from `first_column` on, as many
/// as the layer is wide. layer: [slots, its width].
void write_to_cache(const Tensor& x, std::int64_t first_column, const CachePlaces& places,
                    const Tensor& layer);

}  // namespace kette
