// The feed-forward sub-layer as one op: y = activation(x W1^T + b1) W2^T + b2, Vaswani et al. 2017,
// equation (2). As two ops, one map would write a gradient that the other reads again. Here the
// derivative of the activation is applied while the product is still in cache:
//   dh = (dy W2) * activation'(...),   db1 = column sums of dh,   dx = dh W1
#pragma once

#include "autograd/ops/matmul.h"

namespace kette::ops {

struct FeedForward {
  static constexpr OpName name = "feed_forward";
  static constexpr const char* formula = "activation(x W1^T + b1) W2^T + b2";
  static constexpr const char* signature =
      "feed_forward(x, inner_weight, inner_bias, outer_weight, outer_bias, activation=\"relu\")";
  static constexpr const char* about =
      "Two linear maps with an activation between. x: [rows, in], inner_weight: [hidden, in], "
      "inner_bias: [hidden], outer_weight: [out, hidden], outer_bias: [out] -> [rows, out]; "
      "biases may be None. Vaswani et al. 2017.";
  Activation activation = Activation::relu;
  Linear inner{}, outer{};

  Tensor forward(const Tensor& x, const Tensor& inner_weight, const Tensor& inner_bias,
                 const Tensor& outer_weight, const Tensor& outer_bias);
  void backward(const Tensor& dy, GradientSlot& dx, GradientSlot& dinner_weight,
                GradientSlot& dinner_bias, GradientSlot& douter_weight, GradientSlot& douter_bias);
  Variable composed(const std::array<Variable, 5>& in) const;
  static std::vector<Sample> samples();
};

}  // namespace kette::ops

namespace kette {

Variable feed_forward(const Variable& x, const Variable& inner_weight, const Variable& inner_bias,
                      const Variable& outer_weight, const Variable& outer_bias,
                      Activation activation);

}  // namespace kette
