// a + b mod p as a text of three tokens, "a b =", and a Transformer that learns it (Nanda et al. 2023, "Progress
// Measures for Grokking via Mechanistic Interpretability", section 3).
#pragma once

#include <array>
#include <span>

#include "models/gpt.h"
#include "tensor/random.h"

namespace kette {

/// Packed texts, and what each is to be continued by.
struct ModularSums {
  std::int64_t modulus = 0;
  std::vector<std::int32_t> ids, answers;
  Segments segments;

  std::int64_t count() const { return std::ssize(answers); }
};

/// All p * p of them, parted at random: a share to train on, the others to test on.
std::array<ModularSums, 2> modular_sums(std::int64_t modulus, double share, Random& random);

/// One layer without norms and biases, learned positions, an output matrix of its own.
GptConfig modular_addition_gpt(std::int64_t modulus, std::int64_t width, std::int64_t heads,
                               std::int64_t hidden);

/// The states that decode() gives at each "=", of a model of modular_addition_gpt(), in a quarter of the
/// time: a token at a place has the same query, key and value in all texts, and nothing asks what comes after
/// a and b.
Variable states_at_ends(const Gpt& model, const ModularSums& sums, Run& run);

/// Of functions of 0 .. p - 1, the columns of a table [at least p rows, width]: the share of each frequency
/// 1 .. p / 2 in the sum of squares of their Fourier coefficients, the constant left out.
std::vector<double> frequency_shares(std::span<const float> table, std::int64_t modulus,
                                     std::int64_t width);

}  // namespace kette
