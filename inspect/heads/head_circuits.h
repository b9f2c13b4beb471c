// The two circuits of a head (Elhage et al. 2021): QK decides where it looks, x_query^T QK x_key, and OV what
// it writes, OV x_key. The rank of each is at most the head's width.
#pragma once

#include "inspect/heads/attention_heads.h"
#include "inspect/linear_algebra.h"

namespace kette {

/// query, key, value: [head width, width]; output: [width, head width]. The first three include the gain of
/// the norm before a pre-norm self-attention.
struct HeadCircuit {
  DenseMatrix query, key, value, output;

  DenseMatrix query_key() const { return product(transposed(query), key); }
  DenseMatrix output_value() const { return product(output, value); }
};

/// In the order of heads_of(attentions_of(model)).
std::vector<HeadCircuit> head_circuits(const AutoregressiveModel& model);

/// For each head, the sum of the eigenvalues of E_out OV E^T divided by the sum of their absolute values. E are the
/// embeddings, E_out the output matrix. 1: looking at a word makes the same word likelier; -1: less likely. NaN for
/// heads that look at a source with its own embeddings, since the model cannot write these words.
std::vector<double> copying_scores(const AutoregressiveModel& model);

/// How much of an earlier head's output a later head reads, as its query, key or value: |A B| / (|A| |B|), with
/// Frobenius norms, of the later circuit A and the earlier OV circuit B (section "Composition").
struct Composition {
  double query = 0, key = 0, value = 0;
};
Composition composition(const HeadCircuit& earlier, const HeadCircuit& later);

/// The mean of each of the three for random circuits of this shape.
double random_composition(std::int64_t width, std::int64_t head_width, std::uint64_t seed);

}  // namespace kette
