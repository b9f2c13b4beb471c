// Compares the gradient of a loss with finite differences, each with an estimate of its noise.
//
// Along one direction, at offset t, a loss L(t) is a weighted sum of outputs. Its quotient
//   D(h) = (L(h) - L(-h)) / 2h = L' + h^2 L''' / 6 + O(h^4),   rounding error: about eps |L| / h
// is computed for each output, so that outputs which do not move cancel exactly. If it differs from
// the gradient by more than the tolerance, D(h), D(2h) and D(4h) are extrapolated to h = 0
// (Richardson), for up to three h; so are one-sided differences, since a ReLU has a kink. The noise
// is then rounding and the difference of the two extrapolations of lower order. Those with the
// least noise decide.
#pragma once

#include "autograd/probe.h"

namespace kette {

/// The distance from 1 to the next number.
double epsilon_of(DType dtype);

/// The weighted outputs of a function at an offset along a direction.
using Line = std::function<Values(double offset)>;

/// Whether `got` is the derivative of the line at 0. worst: the largest share so far; a failure
/// with a lower share is not tried again. rounding: that of the line's values, if they are
/// differences of far larger terms.
Comparison compare_derivative(const Line& line, double got, const GradientCheckOptions& options,
                              double worst = 0, double rounding = 0);

/// Moves x along each probe and compares `gradient` with the differences of outputs().
GradientGap compare_with_differences(const Tensor& x, const Tensor& gradient,
                                     const std::function<Values()>& outputs,
                                     const std::string& label, const GradientCheckOptions& options);

}  // namespace kette
