// An op of your own: the logarithm of a row's sum of exponentials,
//   y = ln sum_j e^x_j         x: [rows, width], y: [rows, 1]
// as a struct of the kind that autograd/record.h describes.
#pragma once

#include "autograd/op.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/reduce.h"

struct LogSumExp {
  static constexpr const char* name = "log_sum_exp";
  kette::Tensor x{}, y{};  // kept for backward

  kette::Tensor forward(const kette::Tensor& input) {
    x = input;
    y = log(sum_to(exp(kette::Variable(x)), x.shape().with(-1, 1)))
            .value();  // e^1000 is infinite: your turn
    return y;
  }
  /// Adds the derivative of the loss by x to dx. dy: that by y, [rows, 1].
  void backward(const kette::Tensor& dy, kette::GradientSlot& dx) {
    (void)dy, (void)dx;  // your turn
  }
  /// How y changes while x changes by `change`: [rows, 1]. An expression of ops.
  kette::Variable tangent(const std::array<kette::Variable, 1>& at,
                          const std::array<kette::Variable, 1>& change,
                          const kette::Variable& result) const {
    (void)at, (void)change;
    return affine(result, 0);  // your turn
  }
};
