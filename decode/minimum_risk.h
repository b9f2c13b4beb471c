// Minimum Bayes risk decoding (Kumar and Byrne 2004). Instead of the likeliest candidate it chooses
// the one with the highest expected similarity to the others,
//   argmax_h sum_r P(r) u(h, r)
// over candidates h and r with a sentence metric u. Sampled candidates have equal weights, as
// likely ones are sampled more often (Eikema and Aziz 2020). Those of an n-best list are weighted
// by the model's probability, normalised over the list (Kumar and Byrne 2004, section 4).
#pragma once

#include <string>
#include <vector>

namespace kette {

/// The expected score of each text by a metric of data/metrics/metrics.h, negated if lower is
/// better. weights: need not sum to 1. Equal texts are scored once. An Error unless there is a
/// weight for each text.
std::vector<double> expected_utilities(const std::vector<std::string>& texts,
                                       const std::vector<double>& weights,
                                       const std::string& metric);

/// Weights of candidates with these log-probabilities, for expected_utilities().
std::vector<double> posterior_weights(const std::vector<double>& log_probabilities);

}  // namespace kette
