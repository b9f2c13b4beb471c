// Matrix products. matmul: batched over the outer axes. linear: y = activation(x W^T + b), with
// bias and activation applied while the product is in cache.
//   dx = dy W,  dW = dy^T x,  db = column sums of dy      (Deep Learning, section 6.5.4)
#pragma once

#include "autograd/op_types.h"
#include "tensor/elementwise.h"

namespace kette::ops {

struct MatMul {
  static constexpr OpName name = "matmul";
  static constexpr const char* formula = "c_ij = sum_k a_ik b_kj over the last two axes";
  static constexpr const char* signature = "matmul(a, b, transpose_a=False, transpose_b=False)";
  static constexpr const char* about =
      "Matrix products: [batch..., m, k] x [batch..., k, n] -> [batch..., m, n]. Either may be transposed in place.";
  bool transpose_a = false, transpose_b = false;
  Tensor a{}, b{};

  Tensor forward(const Tensor& left, const Tensor& right);
  void backward(const Tensor& dy, GradientSlot& da, GradientSlot& db);
  Variable tangent(const std::array<Variable, 2>& in, const std::array<Variable, 2>& din,
                   const Variable& y) const;
  static std::vector<Sample> samples();
};

struct Linear {
  static constexpr OpName name = "linear";
  static constexpr const char* formula = "activation(x W^T + b)";
  static constexpr const char* signature = "linear(x, weight, bias=None, activation=\"none\")";
  static constexpr const char* about =
      "A linear map of each row. x: [rows, in], weight: [out, in], bias: [out] -> [rows, out]. "
      "activation: \"none\", \"relu\", \"gelu\", \"gelu_erf\" or \"silu\".";
  Activation activation = Activation::none;
  Tensor x{}, weight{}, bias{}, saved{};  // saved: y for relu, the pre-activation for the others

  Tensor forward(const Tensor& input, const Tensor& matrix, const Tensor& biases);
  void backward(const Tensor& dy, GradientSlot& dx, GradientSlot& dweight, GradientSlot& dbias);
  Variable composed(const std::array<Variable, 3>& in) const;
  static std::vector<Sample> samples();
};

}  // namespace kette::ops

namespace kette {

Variable matmul(const Variable& a, const Variable& b, bool transpose_a = false,
                bool transpose_b = false);
/// The bias may be an undefined Variable: none.
Variable linear(const Variable& x, const Variable& weight, const Variable& bias,
                Activation activation = Activation::none);

}  // namespace kette
