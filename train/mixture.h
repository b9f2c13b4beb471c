// Options for how often each of several texts is drawn (data/corpora/draws.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "train/run_fingerprint.h"
#include "train/stages.h"

namespace kette {

/// Throws an Error unless at most one of the three is set and it fits the number of texts. weights: one per text, in
/// any unit, or none. temperature: draws texts by size^(1 / temperature); 1: by size. stages: weights that change.
void check_mixture(const std::vector<double>& weights, double temperature, const Stages& stages,
                   std::size_t texts);
/// The share of each part of a corpus, per stage; empty: by size. A run without stages has one stage. ends: the end of
/// each part. The parts are the texts, or, for both directions, the texts twice.
std::vector<std::vector<double>> shares_of_stages(const std::vector<double>& weights,
                                                  double temperature, const Stages& stages,
                                                  const std::vector<std::int64_t>& ends);
void add_mixture(const std::vector<double>& weights, double temperature,
                 RunFingerprint& fingerprint);

}  // namespace kette
