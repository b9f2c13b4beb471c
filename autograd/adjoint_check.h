// Adjoint test: for the Jacobian J of a function and any u and v
//   <u, J v> = <J^T u, v>
// J v comes of forward mode (Variable::tangent), J^T u of backward(), by code that has nothing in common but the values.
// There is no step and no remainder: both sides are the same number, to the last digits of f64. Differences, which check
// the tangents with the gradients, have six digits fewer.
//
// v moves one element, or some of like gradients at once, each by about 1 over its gradient: so no large one hides a small one.
// Where they disagree, the elements are taken one by one. An element passes where
//   |expected - got| <= tolerance * sum_k |u_k (J v)_k| + noise,
// and what rounding makes of either side is seen, where that matters, by asking for (J 3v) / 3 and (J^T 3u) / 3, and others, too.
#pragma once

#include "autograd/probe.h"

namespace kette {

/// What the test asks for.
struct AdjointProblem {
  /// J^T u, of one input, with u times a factor.
  std::function<std::vector<double>(double factor)> gradient;
  /// u_k (J v)_k of each output.
  std::function<std::vector<double>(const Tensor& v)> change;
};

/// Compares both for an input (x: of its shape, dtype and device). Throws the Error of an op that has no tangent.
GradientGap compare_adjoint(const AdjointProblem& problem, const Tensor& x,
                            const std::string& label, const GradientCheckOptions& options);

}  // namespace kette
