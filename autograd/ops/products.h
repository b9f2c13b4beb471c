// The products that the backward passes of linear maps are made of.
#pragma once

#include "autograd/gradient_slot.h"
#include "tensor/kernels.h"

namespace kette {

/// c (+)= op(a) op(b) over the last two axes; the outer axes of all three agree.
MatmulArgs product_of(const Tensor& a, bool transpose_a, const Tensor& b, bool transpose_b,
                      const Tensor& c, bool adds);
void multiply(const Tensor& a, bool transpose_a, const Tensor& b, bool transpose_b, const Tensor& c,
              bool adds);

/// Of y = x W^T + bias, for dy, x: [rows, ...]: dW += dy^T x, and dbias += the sums of dy's columns,
/// which pass by in that product.
void add_parameter_gradients(const Tensor& dy, const Tensor& x, const Tensor& bias,
                             GradientSlot& dweight, GradientSlot& dbias);

/// The rows of a tensor of any rank as a matrix.
inline Tensor as_rows(const Tensor& x) { return x.reshaped({x.rows(), x.width()}); }

}  // namespace kette
