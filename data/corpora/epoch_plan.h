// The batches of an epoch, in four bytes a pair: those of similar length are put together in a new random way, cut into
// batches, and the batches shuffled. A function of (seed, epoch) and the lengths alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/corpora/draws.h"
#include "data/corpora/pair_store.h"

namespace kette {

class EpochPlan {
 public:
  /// tokens_per_batch: as of a BatchLimit.
  EpochPlan(const PairStore& pairs, Draws draws, std::int64_t tokens_per_batch, std::uint64_t seed,
            std::int64_t epoch);

  std::int64_t epoch() const { return epoch_; }
  std::int64_t batches() const { return static_cast<std::int64_t>(shuffled_.size()); }
  std::vector<Draws::Draw> batch(std::int64_t number) const;

 private:
  void sort_by_length(const PairStore& pairs);
  void shuffle(std::span<std::uint32_t> draws, int bits_left);
  void cut(const PairStore& pairs, std::int64_t tokens_per_batch);
  std::uint64_t hash_of_draw(std::uint32_t draw) const;

  Draws draws_;
  std::int64_t epoch_;
  std::uint64_t key_;                    // of the hashes of draws
  std::vector<std::uint32_t> order_;     // of draws
  std::vector<std::uint32_t> begins_;    // of batches, in order_; and its end
  std::vector<std::uint32_t> shuffled_;  // batches
};

}  // namespace kette
