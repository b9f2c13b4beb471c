// Attention on the CPU by a given way to multiply bf16, which kernels::attention chooses by itself.
#pragma once

#include "tensor/cpu/product.h"
#include "tensor/kernels.h"

namespace kette::cpu {

/// Of rows of bf16 in pairs, if asked for and heads and rows have even widths: queries, keys and values are then multiplied as
/// they lie, and probabilities and the gradients of scores rounded to bf16. Else they are widened to f32.
void attention(const AttentionArgs& args, Bf16Products bf16);
void attention_backward(const AttentionArgs& args, const AttentionGradients& gradients,
                        Bf16Products bf16);

/// The quicker way: on short sequences what is rounded and packed takes longer than the products.
Bf16Products attention_products(const AttentionArgs& args);

}  // namespace kette::cpu
