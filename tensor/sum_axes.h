// A sum over several axes, for both devices: one run of neighbouring axes at a time, innermost
// first. The temporaries shrink each time and have compute_dtype(), so that sums are rounded only
// once, to y.
#pragma once

#include "tensor/tensor.h"

namespace kette {

/// A tensor seen as [outer, reduced, inner].
struct AxisRun {
  std::int64_t outer = 1, reduced = 1, inner = 1;
};

/// y = x summed over the axes that y lacks or has with extent 1. sum(from, to, run) sums one run,
/// to the compute_dtype() of `from`.
template <class Sum>
void sum_axis_runs(const Tensor& x, const Tensor& y, const Sum& sum) {
  Tensor current = x;
  const auto target = [&](int at) {
    return -at <= y.shape().rank() ? y.shape()[at] : std::int64_t{1};
  };
  for (int axis = -1; - axis <= x.shape().rank(); --axis) {
    if (current.shape()[axis] == target(axis)) continue;
    KETTE_CHECK(target(axis) == 1, "sum_to: expected a shape that ", x.shape(),
                " can be summed to, given ", y.shape());
    int first = axis;  // extend the run over further reduced axes
    while (-(first - 1) <= x.shape().rank() && target(first - 1) == 1) --first;
    AxisRun run;
    Shape next = current.shape();
    for (int at = -x.shape().rank(); at < 0; ++at) {
      const std::int64_t extent = current.shape()[at];
      (at < first ? run.outer : at <= axis ? run.reduced : run.inner) *= extent;
      if (at >= first && at <= axis) next = next.with(at, 1);
    }
    const Tensor summed = Tensor::empty(next, compute_dtype(x.dtype()), x.device());
    sum(current, summed, run);
    current = summed;
    axis = first;
  }
  KETTE_CHECK(current.elements() == y.elements(), "sum_to: expected a shape that ", x.shape(),
              " can be summed to, given ", y.shape());
  y.copy_from(current.to(y.dtype()).reshaped(y.shape()));
}

}  // namespace kette
