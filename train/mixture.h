// How often each of several texts is drawn (data/corpora/draws.h): what a run is told of it.
#pragma once

#include <cstddef>
#include <vector>

#include "train/run_fingerprint.h"

namespace kette {

/// weights: one for each text, in any unit, or none. temperature: instead, by size^(1 / temperature); 1: as they are.
void check_mixture(const std::vector<double>& weights, double temperature, std::size_t texts);
void add_mixture(const std::vector<double>& weights, double temperature,
                 RunFingerprint& fingerprint);

}  // namespace kette
