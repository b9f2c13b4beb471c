// Layer norm, alone and at the end of a sub-layer: LayerNorm(x + Dropout(Sublayer(x))), Vaswani et
// al. 2017, section 3.1. The maths are in tensor/rows/layer_norm.h.
#pragma once

#include "autograd/op_types.h"
#include "tensor/random.h"

namespace kette::ops {

struct LayerNorm {
  static constexpr OpName name = "layer_norm";
  static constexpr const char* formula = "gain * (x - mean) / sqrt(var + eps) + bias";
  static constexpr const char* signature = "layer_norm(x, gain, bias=None, epsilon=1e-5)";
  static constexpr const char* about =
      "Normalizes each row. x: [rows, width], gain and bias: [width]. Ba et al. 2016.";
  double epsilon = 1e-5;
  Tensor sum{}, gain{}, mean{}, rstd{};

  Tensor forward(const Tensor& x, const Tensor& gains, const Tensor& biases);
  void backward(const Tensor& dy, GradientSlot& dx, GradientSlot& dgain, GradientSlot& dbias);
  Variable composed(const std::array<Variable, 3>& in) const;
  static std::vector<Sample> samples();
};

/// sum = x + dropout(residual) and y = layer_norm(sum), in one pass. A pre-norm stack uses both:
/// `sum` for the next sum, y as input of the next sub-layer.
struct ResidualLayerNorm {
  static constexpr OpName name = "residual_layer_norm";
  static constexpr const char* formula = "s = x + dropout(residual), layer_norm(s)";
  static constexpr const char* signature =
      "residual_layer_norm(x, residual, gain, bias=None, dropout=0, seed=0, epsilon=1e-5)";
  static constexpr const char* about =
      "A residual sum and its layer norm in one pass: (s, y). x, residual: [rows, width], gain "
      "and bias: [width]. Vaswani et al. 2017.";
  double epsilon = 1e-5;
  DropoutMask mask{};
  Tensor sum{}, gain{}, mean{}, rstd{};

  std::array<Tensor, 2> forward(const Tensor& x, const Tensor& residual, const Tensor& gains,
                                const Tensor& biases);
  void backward(const std::array<Tensor, 2>& gradients, GradientSlot& dx, GradientSlot& dresidual,
                GradientSlot& dgain, GradientSlot& dbias);
  std::array<Variable, 2> composed(const std::array<Variable, 4>& in) const;
  static std::vector<Sample> samples();
};

}  // namespace kette::ops

namespace kette {

/// The bias may be an undefined Variable: none.
Variable layer_norm(const Variable& x, const Variable& gain, const Variable& bias,
                    double epsilon = 1e-5);
/// {sum, y}
std::array<Variable, 2> residual_layer_norm(const Variable& x, const Variable& residual,
                                            const Variable& gain, const Variable& bias,
                                            const DropoutMask& mask = {}, double epsilon = 1e-5);

}  // namespace kette
