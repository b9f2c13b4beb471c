// Attention probabilities, for inspection. Attention itself never stores them
// (autograd/ops/attention.h). They are computed with ordinary ops, so they are differentiable.
#pragma once

#include "nn/attention_context.h"

namespace kette {

/// The weights of the keys for each query of a sequence: [heads, w, rows] and [heads, w, keys] ->
/// [heads, rows, keys], each row with sum 1. bias: [1 or heads, rows, keys], added to the scores;
/// -infinity for a masked key.
using Weigh = Variable (*)(const Variable& queries, const Variable& keys, const Tensor& bias);

/// softmax(Q K^T / sqrt(head width) + bias)
Variable softmax_of_scores(const Variable& queries, const Variable& keys, const Tensor& bias);
/// [rows, heads, longest sequence of keys], zero beyond the keys of the row's sequence.
Variable attention_probabilities(const AttentionInputs& inputs, std::int64_t heads,
                                 Weigh weigh = softmax_of_scores);
/// The values weighted by `probabilities` [rows, heads, keys], after attention's dropout:
/// [rows, width].
Variable weighted_values(const Variable& probabilities, const AttentionInputs& inputs,
                         const DropoutMask& mask);

/// Shows the probabilities to the tap at path/probabilities. heads: the output of attention,
/// [rows, width]. Returns it, or a new one if the tap replaced the probabilities.
Variable show(const Variable& probabilities, const Variable& heads, const AttentionInputs& inputs,
              const DropoutMask& mask, const std::string& path, const Run& run);

}  // namespace kette
