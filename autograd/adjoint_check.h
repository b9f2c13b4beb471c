// Adjoint test: for the Jacobian J of a function and any u and v
//   <u, J v> = <J^T u, v>
// J v comes from forward mode (Variable::tangent), J^T u from backward(): code that shares nothing
// but the values. There is no step and no remainder, so both sides are equal to the last digits of
// f64. Differences, which check both, have six digits fewer.
//
// v moves one element, or several of similar gradients together, each by about 1 / its gradient, so that no large
// gradient hides a small one. If these differ, each is tested alone. An element passes if
//   |expected - got| <= tolerance * sum_k |u_k (J v)_k| + noise,
// where noise, computed only if needed, is the rounding of both sides, sampled by (J 3v) / 3, (J^T 3u) / 3 and so on.
#pragma once

#include "autograd/probe.h"

namespace kette {

/// The two functions that the test calls.
struct AdjointProblem {
  /// J^T (factor * u), for one input.
  std::function<std::vector<double>(double factor)> gradient;
  /// u_k (J v)_k for each output.
  std::function<std::vector<double>(const Tensor& v)> change;
};

/// Compares both for one input (x has its shape, dtype and device). Throws the Error of an op without a tangent.
GradientGap compare_adjoint(const AdjointProblem& problem, const Tensor& x,
                            const std::string& label, const GradientCheckOptions& options);

}  // namespace kette
