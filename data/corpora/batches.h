// Batches made of pairs of sentences. A batch holds about tokens_per_batch tokens of the larger side
// (Vaswani et al. 2017, section 5.1).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "data/corpora/batch.h"
#include "data/corpora/pair_store.h"
#include "data/tokenizers/special_tokens.h"

namespace kette {

/// End marks counted.
struct TokenCounts {
  std::int64_t source = 0, target = 0;

  friend bool operator==(const TokenCounts&, const TokenCounts&) = default;
  TokenCounts& operator+=(const TokenCounts& more) {
    source += more.source;
    target += more.target;
    return *this;
  }
};
inline TokenCounts tokens_of(const Batch& batch) {
  return {batch.source_segments.rows(), batch.target_segments.rows()};
}

/// What may take the place of a pair's ids. place: of the pair in the batch.
using ChangePair = std::function<void(std::size_t place, PairIds& ids)>;

/// Packs these pairs in this order.
Batch make_batch(const PairStore& pairs, std::span<const std::int64_t> numbers,
                 const SpecialTokens& special, const ChangePair& change = {});

/// The same sentences in the same order, in parts of equal size as far as sentences allow: as many
/// as it takes to come down to about `tokens` of the larger side.
std::vector<Batch> split(const Batch& batch, std::int64_t tokens);

/// Cuts an order of pairs into batches: where the source or the target tokens, end marks counted, would pass the limit. A
/// pair beyond it is a batch of its own.
class BatchLimit {
 public:
  explicit BatchLimit(std::int64_t tokens);
  /// Whether the next pair is the first of a batch.
  bool begins_new(const PairLengths& lengths);

 private:
  std::int64_t tokens_;
  TokenCounts batch_;  // so far
};

/// Every pair once, shortest first, no randomness, cut by such a limit: for validation. The numbers of the pairs of each
/// batch.
std::vector<std::vector<std::int64_t>> plan_batches(const PairStore& pairs,
                                                    std::int64_t tokens_per_batch);

}  // namespace kette
