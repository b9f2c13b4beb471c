// The gradient of a loss against differences of it, each with the noise that it has.
//
// A loss L(t) along one direction, moved by t, is the sum of outputs that are each weighted. The difference quotient
//   D(h) = (L(h) - L(-h)) / 2h = L' + h^2 L''' / 6 + O(h^4),   off by rounding: about eps |L| / h
// is taken output by output, so that those which do not move cancel exactly. Where it does not agree with the gradient to
// the tolerance, D(h), D(2h) and D(4h) are extrapolated to h = 0 (Richardson), for up to three h, and likewise the
// differences from either side alone, for a ReLU has a kink. What remains is known then: by how much the two
// extrapolations of lower order differ, and rounding. Of all these, those with the least noise decide.
#pragma once

#include "autograd/probe.h"

namespace kette {

/// The weighted outputs of a function at an offset along a direction.
using Line = std::function<Values(double offset)>;

/// Whether `got` is the derivative of the line at 0. worst: the largest share so far: what fails and is less than
/// that is not tried again. rounding: of the line's values, where they are differences of far larger terms.
Verdict judge_by_differences(const Line& line, double got, const GradientCheckOptions& options,
                             double worst = 0, double rounding = 0);

/// Moves x along each probe, and compares `gradient` with the differences of what `outputs` gives then.
GradientGap compare_with_differences(const Tensor& x, const Tensor& gradient,
                                     const std::function<Values()>& outputs,
                                     const std::string& label, const GradientCheckOptions& options);

}  // namespace kette
