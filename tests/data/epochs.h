// What samplers give out.
#pragma once

#include <cstdint>
#include <vector>

#include "data/corpora/batches.h"

namespace kette::testing {

/// The batches up to the end of a sampler's epoch.
template <class Sampler>
std::vector<Batch> epoch_of(Sampler& sampler) {
  std::vector<Batch> batches;
  const auto epoch = sampler.state().epoch;
  while (sampler.state().epoch == epoch) batches.push_back(sampler.next());
  return batches;
}

/// The ids of what is in them: of pairs, or where windows start.
inline std::vector<std::int64_t> ids_of(const std::vector<Batch>& batches) {
  std::vector<std::int64_t> ids;
  for (const Batch& batch : batches) {
    ids.insert(ids.end(), batch.sentence_ids.begin(), batch.sentence_ids.end());
  }
  return ids;
}

}  // namespace kette::testing
