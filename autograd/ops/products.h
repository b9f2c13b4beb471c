// The products that the backward passes of linear maps are made of.
#pragma once

#include "autograd/gradient_slot.h"
#include "tensor/kernels.h"

namespace kette {

/// c = scale * a b, or c += it.
void multiply(const Matrix& c, const Matrix& a, const Matrix& b, bool adds = false,
              double scale = 1);

/// Of y = x W^T + bias, for dy, x: [rows, ...]: dW += dy^T x, and dbias += the sums of dy's columns,
/// which pass by in that product.
void add_parameter_gradients(const Tensor& dy, const Tensor& x, const Tensor& bias,
                             GradientSlot& dweight, GradientSlot& dbias);

}  // namespace kette
