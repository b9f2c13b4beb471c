// Attention probabilities, which attention itself never holds (autograd/ops/attention.h): computed
// for who wants to see them, from ordinary ops, and differentiable.
#pragma once

#include "nn/attention_context.h"

namespace kette {

/// How the queries of a sequence weigh its keys: [heads, w, rows] and [heads, w, keys] -> [heads, rows, keys], each row
/// of sum 1. bias: [1 or heads, rows, keys], to be added to scores: -infinity where a key is not seen.
using Weigh = Variable (*)(const Variable& queries, const Variable& keys, const Tensor& bias);

/// softmax(Q K^T / sqrt(head width) + bias)
Variable softmax_of_scores(const Variable& queries, const Variable& keys, const Tensor& bias);
/// [rows, heads, longest sequence of keys]. Row r has those of its sequence's keys and then zeros.
Variable attention_probabilities(const QueriesAndKeys& pairs, std::int64_t heads,
                                 Weigh weigh = softmax_of_scores);
/// The values weighted by such probabilities, after the dropout that attention would apply to its own:
/// [rows, width].
Variable weighted_values(const Variable& probabilities, const QueriesAndKeys& pairs,
                         const DropoutMask& mask);

/// Shows them at path/probabilities. heads: what attention made; the result, unless others were put in the place of the
/// probabilities, is just that.
Variable show(const Variable& probabilities, const Variable& heads, const QueriesAndKeys& pairs,
              const DropoutMask& mask, const std::string& path, const Run& run);

}  // namespace kette
