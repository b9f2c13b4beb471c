// The products in the backward passes of linear maps.
#pragma once

#include "autograd/gradient_slot.h"
#include "tensor/kernels.h"

namespace kette {

/// c = scale * a b, or c += scale * a b if it adds.
void multiply(const Matrix& c, const Matrix& a, const Matrix& b, bool adds = false,
              double scale = 1);

/// For y = x W^T + bias and dy, x: [rows, ...]: dW += dy^T x, and dbias += the sums of dy's
/// columns, computed in the same product.
void add_parameter_gradients(const Tensor& dy, const Tensor& x, const Tensor& bias,
                             GradientSlot& dweight, GradientSlot& dbias);

}  // namespace kette
