// Minimum Bayes risk decoding (Kumar and Byrne 2004): of some candidates not the likeliest, but the one that is
// most like what the model expects,
//   argmax_h sum_r P(r) u(h, r)
// over candidates h and r with a score u of sentences. Drawn candidates count alike, for likely ones are drawn
// more often (Eikema and Aziz 2020); those of an n-best list by the model's probability, taken among the
// list (Kumar and Byrne 2004, section 4).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tensor/enum_names.h"

namespace kette {

/// sacreBLEU's scores of sentences: chrF2, or BLEU with effective order.
enum class Utility : std::uint8_t { chrf, bleu };
template <>
inline constexpr auto kNamesOf<Utility> = enum_names<Utility>({{Utility::chrf, "chrf"},
                                                               {Utility::bleu, "bleu"}});

/// The expected utility of each text, 0..100. weights: as much as each counts, in any unit. Texts are cut
/// into n-grams once, not once for each pair; equal texts are one.
std::vector<double> expected_utilities(const std::vector<std::string>& texts,
                                       const std::vector<double>& weights, Utility utility);

/// Weights of candidates with these log-probabilities.
std::vector<double> posterior_weights(const std::vector<double>& log_probabilities);

}  // namespace kette
