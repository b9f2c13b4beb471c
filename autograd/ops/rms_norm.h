// Root mean square norm (Zhang and Sennrich 2019, equation (4)); the maths are in
// tensor/rows/rms_norm.h.
#pragma once

#include "autograd/op_types.h"

namespace kette::ops {

struct RmsNorm {
  static constexpr OpName name = "rms_norm";
  static constexpr const char* formula = "gain * x / sqrt(mean(x^2) + eps)";
  static constexpr const char* signature = "rms_norm(x, gain, epsilon=1e-5)";
  static constexpr const char* about =
      "Divides each row by its root mean square. x: [rows, width], gain: [width]. Zhang and "
      "Sennrich 2019.";
  double epsilon = 1e-5;
  Tensor x{}, gain{}, reciprocal{};

  Tensor forward(const Tensor& input, const Tensor& gains);
  void backward(const Tensor& dy, GradientSlot& dx, GradientSlot& dgain);
  Variable composed(const std::array<Variable, 2>& in) const;
  static std::vector<Sample> samples();
};

}  // namespace kette::ops

namespace kette {

Variable rms_norm(const Variable& x, const Variable& gain, double epsilon = 1e-5);

}  // namespace kette
