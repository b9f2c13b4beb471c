// Modular addition: texts "a b =" with the answer a + b mod p, and a Transformer that learns it (Nanda et al. 2023,
// "Progress Measures for Grokking via Mechanistic Interpretability", section 3).
#pragma once

#include <array>
#include <span>

#include "models/gpt.h"
#include "tensor/random.h"

namespace kette {

/// Packed texts and their answers.
struct ModularSums {
  std::int64_t modulus = 0;
  std::vector<std::int32_t> ids, answers;
  Segments segments;

  std::int64_t count() const { return std::ssize(answers); }
};

/// All p * p sums, divided at random: a share for training, the rest for testing.
std::array<ModularSums, 2> modular_sums(std::int64_t modulus, double share, Random& random);

/// One layer without norms and biases, with learned positions and an untied output matrix.
GptConfig modular_addition_gpt(std::int64_t modulus, std::int64_t width, std::int64_t heads,
                               std::int64_t hidden);

/// The states of decode() at each "=", for a model of modular_addition_gpt(), in a quarter of the time. It computes the
/// query, key and value of each token and position once for all texts, and no states after a and b.
Variable states_at_ends(const Gpt& model, const ModularSums& sums, Run& run);

/// The share of each frequency 1 .. p / 2 in the power spectrum of the table's columns, without the constant. table:
/// [at least p rows, width]; each column is a function of 0 .. p - 1.
std::vector<double> frequency_shares(std::span<const float> table, std::int64_t modulus,
                                     std::int64_t width);

}  // namespace kette
