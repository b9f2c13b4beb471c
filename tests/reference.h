// The heavy kernels once more, as plainly as they can be written: loops over f64 tensors on the CPU,
// to compare the kernels with.
#pragma once

#include "tensor/kernels.h"

namespace kette::reference {

/// op(A) op(B) for matrices [rows, columns].
Tensor matmul(const Tensor& a, const Tensor& b, bool transpose_a = false, bool transpose_b = false);

/// softmax(scale * Q K^T, masked) V for one sequence and head: query [queries, width], key and
/// value [keys, width]; `dropout` (empty, or [queries, keys]) multiplies the probabilities. slope: the
/// head's, if any.
Tensor attention(const Tensor& query, const Tensor& key, const Tensor& value, double scale,
                 const AttentionPattern& pattern, const Tensor& dropout = {}, double slope = 0);

/// The sums and, where the arguments have them, the gradients, as documented in kernels.h.
CrossEntropySums linear_cross_entropy(const LinearCrossEntropyArgs& args);

}  // namespace kette::reference
