// Label-smoothed cross entropy (Vaswani et al. 2017, section 5.4; Szegedy et al. 2016, section 7),
// fused with the projection to the vocabulary so that [rows, vocabulary] never exists whole:
//   z = x W^T + b,   q = (1 - smoothing) onehot(target) + smoothing / vocabulary
//   loss = -scale sum_rows q . log softmax(z),   dz = scale (softmax(z) - q)
// The forward pass also computes the gradients, while a chunk's logits are in memory.
//
// In consistency training rows i and i + rows / 2 are two views of the same token, whose
// predictions should agree; see TwoViews in tensor/linear_cross_entropy.h.
#pragma once

#include "autograd/op_types.h"
#include "autograd/ops/options.h"

namespace kette::ops {

struct LinearCrossEntropy {
  static constexpr OpName name = "linear_cross_entropy";
  static constexpr const char* formula = "-scale * sum_rows q . log softmax(x W^T + b)";
  static constexpr const char* signature =
      "linear_cross_entropy(x, weight, bias, targets, smoothing=0, scale=1, views=None)";
  static constexpr const char* about =
      "Label-smoothed cross entropy of a projection to the vocabulary, without its logits in "
      "memory. x: [rows, width], weight: [vocabulary, width], bias: [vocabulary] or None, "
      "targets: i32 [rows] -> a scalar. Szegedy et al. 2016.";
  Tensor targets;
  CrossEntropyOptions options{};
  Tensor sums{};  ///< added to if given; see CrossEntropySums
  /// Whether the gradients of weight and bias are wanted; forward computes them.
  bool weight_trains = true, bias_trains = true;
  Tensor dx{}, dweight{}, dbias{};

  Tensor forward(const Tensor& x, const Tensor& weight, const Tensor& bias);
  void backward(const Tensor& dy, GradientSlot& dx_slot, GradientSlot& dweight_slot,
                GradientSlot& dbias_slot);
  Variable composed(const std::array<Variable, 3>& in) const;
  static std::vector<Sample> samples();
};

}  // namespace kette::ops

namespace kette {

Variable linear_cross_entropy(const Variable& x, const Variable& weight, const Variable& bias,
                              const Tensor& targets, const CrossEntropyOptions& options,
                              const Tensor& sums = {});

}  // namespace kette
