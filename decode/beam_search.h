// Beam search over many sentences at once. Their beams are the rows of one DecoderState, so that
// every product has many rows; sentences that are done leave, and new ones take their place before
// the batch gets thin. What comes out for a sentence does not depend on the sentences beside it, to
// the last bit.
#pragma once

#include <functional>
#include <span>

#include "decode/beam.h"
#include "decode/packed_transformer.h"

namespace kette {

/// A sentence to translate: ids without the end mark, which must stay where they are until it is
/// done.
struct SearchJob {
  std::int64_t number = 0;
  std::span<const std::int32_t> source;

  /// Its share of the budget: all its beams may come to look back about as far as the source is
  /// long.
  std::int64_t cost(std::int64_t beam) const { return beam * (length() + 1); }
  std::int64_t length() const { return static_cast<std::int64_t>(source.size()); }
};

/// Jobs whose costs add up to at most `room`, but one at least when `idle`; none when there are no
/// more.
using SupplyJobs = std::function<std::vector<SearchJob>(std::int64_t room, bool idle)>;
using FinishJob = std::function<void(std::int64_t number, std::vector<Hypothesis> n_best)>;

/// Runs until the supply is empty and everything is finished. budget: the sum of the costs of what
/// is alive.
void beam_search(const PackedTransformer& model, const SearchOptions& options, std::int64_t budget,
                 const SupplyJobs& supply, const FinishJob& finish);

}  // namespace kette
