// Smeared keys (Olsson et al. 2022); the maths stand in tensor/rows/smear.h. x: a projection
// [Q K V], [rows, 3 * width]; gates: [heads], how much of each key is its own; positions: i32 [rows],
// of each row in its sequence, which begins where that is 0.
#pragma once

#include "autograd/op_types.h"

namespace kette::ops {

struct Smear {
  static constexpr OpName name = "smear";
  static constexpr const char* formula = "k_t to g k_t + (1 - g) k_(t-1), g of each head";
  Tensor positions, x{}, gates{};

  Tensor forward(const Tensor& input, const Tensor& gates_of_heads);
  void backward(const Tensor& dy, GradientSlot& dx, GradientSlot& dgates);
  Variable composed(const std::array<Variable, 2>& in) const;
  static std::vector<Sample> samples();
};

}  // namespace kette::ops

namespace kette {

/// The shapes and types that smearing takes; an Error unless they are such.
void check_smear(const Tensor& x, const Tensor& gates, const Tensor& positions);

Variable smear(const Variable& x, const Variable& gates, const Tensor& positions);

}  // namespace kette
