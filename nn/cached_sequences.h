// Sequences that grow by some rows a pass: the keys and values of their past lie in a KvCache, and
// those of the memory, which does not change, in another. Constant rows only: on no tape.
#pragma once

#include "nn/attention_context.h"
#include "nn/kv_cache.h"

namespace kette {

/// Rows, and the cache that has slots for them and for what came before.
struct CachedRows {
  const KvCache* past = nullptr;
  CachePlaces places{};
};

class CachedSequences final : public AttentionContext {
 public:
  /// places: of the pass's rows, for whose keys and values the past has slots.
  CachedSequences(const KvCache& past, CachePlaces places) : rows_{&past, std::move(places)} {}
  /// memory: where a row's memory ends in its line, so that it meets all of it.
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
  QueriesAndKeys self_pairs(std::int64_t layer, const Variable& qkv,
                            const AttentionOptions& options) const override;
  QueriesAndKeys cross_pairs(std::int64_t layer, const Variable& query) const override;

 private:
  CachedRows rows_, memory_;
};

/// Puts keys and values, the columns of x from `first_column` on, into a layer of a cache; or as many
/// columns as that has.
void write_to_cache(const Tensor& x, std::int64_t first_column, const CachePlaces& places,
                    const Tensor& layer);

}  // namespace kette
