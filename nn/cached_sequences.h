// Sequences that grow by some rows a pass: the keys and values of their past lie in a KvCache, and
// those of the memory, which does not change, in another. Constant rows only: on no tape.
#pragma once

#include "nn/kv_cache.h"
#include "nn/sequences.h"

namespace kette {

class CachedSequences final : public Sequences {
 public:
  /// places: of the pass's rows, for whose keys and values the past has slots.
  CachedSequences(const KvCache& past, CachePlaces places)
      : past_(&past), places_(std::move(places)) {}
  /// memory: where a row's memory ends in its line, so that it meets all of it.
  CachedSequences(const KvCache& past, CachePlaces places, const KvCache& memory,
                  CachePlaces memory_places)
      : past_(&past),
        memory_(&memory),
        places_(std::move(places)),
        memory_places_(std::move(memory_places)) {}

  const Tensor& positions() const override { return places_.positions; }
  std::int64_t longest() const override { return past_->longest(); }
  Variable smeared_keys(std::int64_t layer, const Variable& qkv,
                        const Variable& gates) const override;
  Variable self_attention(std::int64_t layer, const Variable& qkv,
                          const AttentionOptions& options) const override;
  Variable cross_attention(std::int64_t layer, const Variable& query, const Linear& key_value,
                           const AttentionOptions& options, const Run& run) const override;
  QueriesAndKeys self_pairs(std::int64_t layer, const Variable& qkv,
                            const AttentionOptions& options) const override;
  QueriesAndKeys cross_pairs(std::int64_t layer, const Variable& query) const override;

 private:
  const KvCache* past_;
  const KvCache* memory_ = nullptr;
  CachePlaces places_, memory_places_;
};

/// Puts keys and values, the columns of x from `first_column` on, into a layer of a cache; or as many
/// columns as that has.
void write_to_cache(const Tensor& x, std::int64_t first_column, const CachePlaces& places,
                    const Tensor& layer);

}  // namespace kette
