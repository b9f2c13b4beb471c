// How often each of several texts is drawn (data/corpora/draws.h): what a run is told of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "train/run_fingerprint.h"
#include "train/stages.h"

namespace kette {

/// weights: one for each text, in any unit, or none. temperature: instead, by size^(1 / temperature); 1: as they are. stages:
/// instead, weights that change.
void check_mixture(const std::vector<double>& weights, double temperature, const Stages& stages,
                   std::size_t texts);
/// In each stage, of which a run without any has one, a share of each part of a corpus; empty: all as they are. ends: where the
/// parts end, which are the texts, once or, for both directions, twice.
std::vector<std::vector<double>> shares_of_stages(const std::vector<double>& weights,
                                                  double temperature, const Stages& stages,
                                                  const std::vector<std::int64_t>& ends);
void add_mixture(const std::vector<double>& weights, double temperature,
                 RunFingerprint& fingerprint);

}  // namespace kette
