// The two maps that a head is (Elhage et al. 2021): where it looks, x_query^T QK x_key, and what it then
// writes, OV x_key. Each is a product through the head's width, which its rank cannot exceed.
#pragma once

#include "inspect/heads/attention_heads.h"
#include "inspect/linear_algebra.h"

namespace kette {

/// query, key, value: [head width, width]; output: [width, head width]. The gain of a norm that a
/// pre-norm self-attention reads through is part of the first three.
struct HeadCircuit {
  DenseMatrix query, key, value, output;

  DenseMatrix query_key() const { return product(transposed(query), key); }
  DenseMatrix output_value() const { return product(output, value); }
};

/// In the order of heads_of(attentions_of(model)).
std::vector<HeadCircuit> head_circuits(const AutoregressiveModel& model);

/// Of each head's OV circuit, E_out OV E^T with E the embeddings and E_out the output matrix, what it writes
/// about a word it looks at: the sum of the eigenvalues over the sum of their moduli. 1: it makes every word
/// likelier itself; -1: less likely. NaN of heads that look at sources with embeddings of their own, whose words are none
/// that the model writes.
std::vector<double> copying_scores(const AutoregressiveModel& model);

/// How much of what an earlier head writes a later one reads, |A B| / (|A| |B|) with Frobenius norms of the
/// later circuit and the earlier OV: as its query, key or value (section "Composition").
struct Composition {
  double query = 0, key = 0, value = 0;
};
Composition composition(const HeadCircuit& earlier, const HeadCircuit& later);

/// What any of the three is for random circuits of a shape; the mean of some.
double random_composition(std::int64_t width, std::int64_t head_width, std::uint64_t seed);

}  // namespace kette
