// Scaled dot-product attention over packed sequences, all heads at once (Vaswani et al. 2017,
// equation (1), section 3.2):
//   output = softmax(Q K^T / sqrt(head width)) V       per sequence and head
// The pattern says which keys of which head a query sees (tensor/attention_pattern.h). Backward keeps only each row's
// log-sum-exp and recomputes the probabilities P (Dao et al. 2022, section 3.1):
//   dV = P^T dO,  dP = dO V^T,  dS = P * (dP - rowsum(dO * O))
//   dQ = dS K / sqrt(head width),  dK = dS^T Q / sqrt(head width)
#pragma once

#include "autograd/op_types.h"
#include "autograd/ops/options.h"
#include "tensor/segments.h"

namespace kette::ops {

struct SelfAttention {
  static constexpr OpName name = "self_attention";
  static constexpr const char* formula = "softmax(Q K^T / sqrt(w)) V with [Q K V] = x";
  static constexpr const char* signature =
      "self_attention(qkv, lengths=None, heads=1, causal=False, group=1, window=0, alibi=False, dropout=0, seed=0)";
  static constexpr const char* about =
      "Attention within packed sequences, all heads at once. qkv: queries, keys and values of one projection, "
      "[rows, width + 2 * key width] -> [rows, width], key width = width / group. Vaswani et al. 2017.";
  AttentionOptions options;
  Segments segments;
  Tensor qkv{}, output{}, log_sum_exp{};

  Tensor forward(const Tensor& x);
  void backward(const Tensor& dy, GradientSlot& dx);
  Variable composed(const std::array<Variable, 1>& in) const;
  static std::vector<Sample> samples();
};

struct CrossAttention {
  static constexpr OpName name = "cross_attention";
  static constexpr const char* formula = "softmax(Q K^T / sqrt(w)) V with [K V] = memory";
  static constexpr const char* signature =
      "cross_attention(query, key_value, query_lengths=None, key_lengths=None, heads=1, "
      "causal=False, group=1, window=0, alibi=False, dropout=0, seed=0)";
  static constexpr const char* about =
      "Attention of one side to the other. query: [rows, width], key_value: [memory rows, 2 * key width] "
      "-> [rows, width]. Vaswani et al. 2017.";
  AttentionOptions options;
  Segments query_segments, key_segments;
  Tensor query{}, key_value{}, output{}, log_sum_exp{};

  Tensor forward(const Tensor& q, const Tensor& kv);
  void backward(const Tensor& dy, GradientSlot& dq, GradientSlot& dkv);
  Variable composed(const std::array<Variable, 2>& in) const;
  static std::vector<Sample> samples();
};

}  // namespace kette::ops

namespace kette {

Variable self_attention(const Variable& qkv, const Segments& segments,
                        const AttentionOptions& options);
Variable cross_attention(const Variable& query, const Variable& key_value,
                         const Segments& query_segments, const Segments& key_segments,
                         const AttentionOptions& options);

}  // namespace kette
