// Sums and maxima. sum: over everything, or down to a shape with extents of 1. Deep Learning,
// equation (6.46) read backwards: the gradient of a sum is the upstream gradient, broadcast.
#pragma once

#include <cstdint>

#include "autograd/op_types.h"
#include "autograd/ops/elementwise.h"

namespace kette::ops {

/// y = x summed over the axes in which `target` has extent 1 or lacks.
struct Sum {
  static constexpr OpName name = "sum";
  static constexpr const char* formula = "sum of x over the axes that the target shape lacks";
  static constexpr const char* signature = "sum(x, axis=None, keepdims=False)";
  static constexpr const char* about =
      "The sum over an axis, or over all elements; sum_to(x, shape) sums down to a shape.";
  static constexpr bool kIsLinear = true;
  Shape target;
  Shape input_shape{};

  Tensor forward(const Tensor& x);
  void backward(const Tensor& dy, GradientSlot& dx);
  static std::vector<Sample> samples();
};

/// The largest entry of each row: [rows..., width] -> [rows..., 1]. Ties: the first one.
struct Max {
  static constexpr OpName name = "max";
  static constexpr const char* formula = "max_j x_ij over the last axis";
  static constexpr const char* signature = "max(x)";
  static constexpr const char* about =
      "The largest element of each row: [rows..., width] -> [rows..., 1]. The first of equal "
      "ones gets the gradient.";
  Shape input_shape{};
  Tensor columns{};

  Tensor forward(const Tensor& x);
  void backward(const Tensor& dy, GradientSlot& dx);
  Variable tangent(const std::array<Variable, 1>& x, const std::array<Variable, 1>& dx,
                   const Variable& y) const;
  static std::vector<Sample> samples();

 private:
  void put_in_columns(const Tensor& values, const Tensor& rows) const;
};

}  // namespace kette::ops

namespace kette {

Variable sum_to(const Variable& x, Shape target);
inline Variable sum(const Variable& x) { return sum_to(x, Shape{}); }
/// sum / count: times a rounded 1 / count the mean of ones would not always be 1. In bf16 it is that,
/// as bf16 has not every count.
Variable mean_of_sum(const Variable& sum, std::int64_t count);
inline Variable mean(const Variable& x) { return mean_of_sum(sum(x), x.value().elements()); }
/// [rows..., width] -> [rows..., 1]
inline Variable mean_last(const Variable& x) {
  return mean_of_sum(sum_to(x, x.shape().with(-1, 1)), x.value().width());
}
Variable max_last(const Variable& x);

}  // namespace kette
