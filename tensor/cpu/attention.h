// Attention on the CPU with a given way to multiply bf16 (kernels::attention chooses it itself).
#pragma once

#include "tensor/cpu/product.h"
#include "tensor/kernels.h"

namespace kette::cpu {

/// bf16 rows are multiplied in pairs if asked for and if heads and rows have even widths. Then
/// queries, keys and values are read in place, and probabilities and gradients of scores are
/// rounded to bf16. Otherwise all are widened to f32.
void attention(const AttentionArgs& args, Bf16Products bf16);
void attention_backward(const AttentionArgs& args, const AttentionGradients& gradients,
                        Bf16Products bf16);

/// The faster way. On short sequences rounding and packing would cost more than the products.
Bf16Products attention_products(const AttentionArgs& args);

}  // namespace kette::cpu
