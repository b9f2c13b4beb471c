// Minimum Bayes risk decoding (Kumar and Byrne 2004): of some candidates not the likeliest, but the one that is
// most like what the model expects,
//   argmax_h sum_r P(r) u(h, r)
// over candidates h and r with a score u of sentences. Drawn candidates count alike, for likely ones are drawn
// more often (Eikema and Aziz 2020); those of an n-best list by the model's probability, taken among the
// list (Kumar and Byrne 2004, section 4).
#pragma once

#include <string>
#include <vector>

namespace kette {

/// The expected score of each text by a metric of the table (data/metrics/metrics.h), or its negative where lower is better.
/// weights: as much as each counts, in any unit. Equal texts are scored once.
std::vector<double> expected_utilities(const std::vector<std::string>& texts,
                                       const std::vector<double>& weights,
                                       const std::string& metric);

/// Weights of candidates with these log-probabilities.
std::vector<double> posterior_weights(const std::vector<double>& log_probabilities);

}  // namespace kette
