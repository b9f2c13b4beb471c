// Gradient check: the gradient of L = sum_i w_i y_i, with fixed random weights w, against central differences
//   (L(x + h) - L(x - h)) / 2h       in f64, element by element     (Deep Learning, section 11.5)
// The random weights matter: the gradient of sum(softmax(x)) is zero, and so is that of a softmax
// gradient that is wrong. The gap of an element is |expected - got| relative to the largest
// gradient of its input (at least 1e-4, below which central differences have no digits left). An element that
// fails is tried with other steps and with differences from one side, for a ReLU has a kink.
//
//   const auto worst =
//       check_gradients([](const auto& in) { return my_op(in[0]); }, {{{3, 5}, -1, 1}});
#pragma once

#include "autograd/sample.h"

namespace kette {

struct GradientCheckOptions {
  double tolerance = 1e-6;
  double step = 1e-5;
  std::uint64_t seed = 1;
  Device device{};
  bool tries_again = true;  ///< with other differences, where an element fails

  /// For a look at how the gap depends on the step.
  GradientCheckOptions at_step_alone(double other) const {
    GradientCheckOptions options = *this;
    options.step = other;
    options.tries_again = false;
    return options;
  }
};

/// The worst element found.
struct GradientGap {
  double gap = 0;
  double expected = 0, got = 0;
  std::string where;         ///< "input 0 [2, 1]" or a parameter's name and index
  std::int64_t checked = 0;  ///< elements compared
  std::vector<double> gaps;  ///< of all of them

  /// Becomes the worst of both, over the elements of both.
  void join(const GradientGap& other);
};

using DifferentiableFunction = std::function<Variable(const std::vector<Variable>&)>;

/// Checks a function of one or more inputs, filled at random from their ranges, in up to `elements_each`
/// elements of each, spread evenly (0: all).
GradientGap check_gradients(const DifferentiableFunction& function,
                            const std::vector<SampleInput>& inputs,
                            const GradientCheckOptions& options = {},
                            std::int64_t elements_each = 0);

/// Checks a scalar function of parameters (leaves with f64 values), up to `elements_each` elements
/// of each, spread evenly (0: all). The function is called many times and must be deterministic.
std::vector<std::pair<std::string, GradientGap>> check_parameter_gradients(
    const std::function<Variable()>& loss, const std::vector<std::shared_ptr<Leaf>>& leaves,
    std::int64_t elements_each = 0, const GradientCheckOptions& options = {});

/// Inputs for a sample, of any dtype: the same values on every device.
std::vector<Tensor> sample_inputs(const std::vector<SampleInput>& inputs, DType dtype,
                                  std::uint64_t seed, Device device = {});

}  // namespace kette
