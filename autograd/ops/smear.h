// Smeared keys (Olsson et al. 2022); the maths are in tensor/rows/smear.h. x: a projection [Q K V],
// [rows, 3 * width]; gates: [heads], the share of a key itself; positions: i32 [rows], of each row
// in its sequence, 0 at its start.
#pragma once

#include "autograd/op_types.h"

namespace kette::ops {

struct Smear {
  static constexpr OpName name = "smear";
  static constexpr const char* formula = "k_t to g k_t + (1 - g) k_(t-1), g of each head";
  static constexpr const char* signature = "smear(x, gates, positions=None, lengths=None)";
  static constexpr const char* about =
      "Mixes each key with the one before it. x: a projection [Q K V], [rows, 3 * width]; "
      "gates: [heads]; positions: i32 [rows]. Olsson et al. 2022.";
  Tensor positions, x{}, gates{};

  Tensor forward(const Tensor& input, const Tensor& gates_of_heads);
  void backward(const Tensor& dy, GradientSlot& dx, GradientSlot& dgates);
  Variable composed(const std::array<Variable, 2>& in) const;
  static std::vector<Sample> samples();
};

}  // namespace kette::ops

namespace kette {

/// Throws an Error unless shapes and types fit.
void check_smear(const Tensor& x, const Tensor& gates, const Tensor& positions);

Variable smear(const Variable& x, const Variable& gates, const Tensor& positions);

}  // namespace kette
