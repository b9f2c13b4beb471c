// Linear attention over packed sequences, all heads at once (Katharopoulos et al. 2020,
// "Transformers are RNNs"; the equations are in tensor/linear_attention.h):
//   output_i = sum_j w_ij v_j / sum_j w_ij,  w_ij = phi(q_i) . phi(k_j),  phi(x) = elu(x) + 1
// over the j that i sees. Time and memory are linear in the length, forward and backward: only the
// sum of each row's weights is kept, and backward computes the states again.
#pragma once

#include "autograd/ops/attention.h"
#include "tensor/segments.h"

namespace kette::ops {

struct LinearAttention {
  static constexpr OpName name = "linear_attention";
  static constexpr const char* formula =
      "(phi(Q) phi(K)^T) V / rowsum, phi(x) = elu(x) + 1 with [Q K V] = x";
  static constexpr const char* signature =
      "linear_attention(qkv, lengths=None, heads=1, causal=False, group=1)";
  static constexpr const char* about =
      "Linear attention within packed sequences. qkv: queries, keys and values of one projection, "
      "[rows, width + 2 * key width] -> [rows, width]. Katharopoulos et al. 2020.";
  AttentionOptions options;
  Segments segments;
  Tensor qkv{}, output{}, denominator{};

  Tensor forward(const Tensor& x);
  void backward(const Tensor& dy, GradientSlot& dx);
  Variable composed(const std::array<Variable, 1>& in) const;
  static std::vector<Sample> samples();
};

}  // namespace kette::ops

namespace kette {

/// options: with linear weights and without dropout.
Variable linear_attention(const Variable& qkv, const Segments& segments,
                          const AttentionOptions& options);

}  // namespace kette
