// Attention probabilities, which attention itself never holds (autograd/ops/attention.h): computed
// for who wants to see them, from ordinary ops, and differentiable.
#pragma once

#include "nn/sequences.h"

namespace kette {

/// softmax(Q K^T / sqrt(head width)), or of linear attention each weight's share of their sum: [rows,
/// heads, longest sequence of keys]. Row r has those of its sequence's keys and then zeros.
Variable attention_probabilities(const QueriesAndKeys& pairs, std::int64_t heads);
/// The values weighted by such probabilities, after the dropout that attention would apply to its own:
/// [rows, width].
Variable weighted_values(const Variable& probabilities, const QueriesAndKeys& pairs,
                         const DropoutMask& mask);

}  // namespace kette
