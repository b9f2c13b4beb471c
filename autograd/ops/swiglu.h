// The gated activation of SwiGLU (Shazeer 2020, equation (6)); the maths are in
// tensor/rows/swiglu.h. x: [rows, 2 * hidden], the gate's columns first; result: [rows, hidden].
#pragma once

#include "autograd/op_types.h"

namespace kette::ops {

struct SwiGlu {
  static constexpr OpName name = "swiglu";
  static constexpr const char* formula = "silu(gate) * value with [gate value] = x";
  static constexpr const char* signature = "swiglu(x)";
  static constexpr const char* about =
      "The gated activation of SwiGLU. x: [rows..., 2 * hidden], the gate's columns first -> "
      "[rows..., hidden]. Shazeer 2020.";
  Tensor x{};

  Tensor forward(const Tensor& input);
  void backward(const Tensor& dy, GradientSlot& dx);
  Variable composed(const std::array<Variable, 1>& in) const;
  static std::vector<Sample> samples();
};

}  // namespace kette::ops

namespace kette {

Variable swiglu(const Variable& x);

}  // namespace kette
