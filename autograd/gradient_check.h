// Gradient check: two independent tests of one gradient.
//
// Differences: the gradient of L = sum_k u_k y_k, with fixed random weights u, against
//   (L(x + h) - L(x - h)) / 2h       element by element     (Deep Learning, section 11.5)
// Without weights the gradient of sum(softmax(x)) is zero, even if softmax's is wrong. Errors are
// relative to each element, so that no large one hides a small one (autograd/differences.h).
//
// Adjoint test: <u, J v> = <J^T u, v>, where J v comes from forward mode and J^T u from backward().
// Exact to the last digits of f64; every op must have a tangent (autograd/adjoint_check.h).
//
//   const GradientCheck check =
//       check_gradients([](const auto& in) { return my_op(in[0]); }, {{{3, 5}, -1, 1}});
//   std::cout << check.str(); return check.ok() ? 0 : 1;
#pragma once

#include <optional>

#include "autograd/sample.h"

namespace kette {

struct GradientCheckOptions {
  /// An element passes if |expected - got| <= absolute + tolerance * |expected| + noise.
  double tolerance = 1e-6, absolute = 1e-14;
  double adjoint_tolerance = 1e-12;
  double step = 1e-5;        ///< h; if it does not suffice, others are tried
  std::uint64_t seed = 1;    ///< for inputs, weights and directions
  DType dtype = DType::f64;  ///< f64 or f32; see in_f32()
  Device device{};
  /// The number of elements checked of each input or parameter, evenly spaced; 0: all.
  std::int64_t elements = 0;
  /// Fast mode: moves each input along this many random directions, not element by element; 0: off.
  std::int64_t directions = 0;
  /// The number of elements in one adjoint test; 1: each alone.
  std::int64_t together = 64;
  bool tries_again = true;  ///< with other steps, if an element fails

  /// An Error unless tolerances, the step and counts are such that a wrong gradient fails.
  void check() const;

  /// For ops that support only f32: a step and tolerances that f32 allows.
  GradientCheckOptions in_f32() const {
    GradientCheckOptions options = *this;
    options.dtype = DType::f32;
    options.step = 5e-3;
    options.tolerance = 1e-3;
    options.absolute = 1e-6;
    options.adjoint_tolerance = 1e-3;
    return options;
  }
  /// For measuring how the gap depends on the step.
  GradientCheckOptions at_step_alone(double other) const {
    GradientCheckOptions options = *this;
    options.step = other;
    options.tries_again = false;
    return options;
  }
};

/// The worst element found.
struct GradientGap {
  /// tolerance * |expected - got| / (the largest difference allowed): fails above `tolerance`.
  double gap = 0;
  double of_largest = 0;  ///< |expected - got| / max(largest gradient of the input, 1e-4)
  double tolerance = 0;   ///< the tolerance used
  double expected = 0, got = 0;
  double noise = 0;              ///< the error that `expected` may have
  std::string where;             ///< "input 0 [2, 1]" or a parameter's name and index
  std::int64_t checked = 0;      ///< elements compared
  std::int64_t below_noise = 0;  ///< elements of which noise hides 1 % or more: not decided
  std::vector<double> gaps{};    ///< of all comparisons

  bool ok() const { return gap <= tolerance; }  // false for NaN
  /// Becomes the worse of both, over the elements of both.
  void join(const GradientGap& other);
};

struct GradientCheck {
  GradientGap differences;
  std::optional<GradientGap> adjoint;
  std::string no_adjoint;  ///< why there is none: "cube: expected an op that has a tangent, ..."
  /// Other errors: results that differ from call to call, changed inputs, a gradient's wrong shape.
  std::string fault;
  /// An input or parameter of which nothing can be said, as noise hides all its gradient; or "".
  std::string untold;
  GradientCheckOptions options;  ///< the options used

  /// The worse of both tests; for a fault, an infinite gap with its text as `where`.
  GradientGap worst() const;
  // NOLINTNEXTLINE(google-explicit-constructor): what a check gave before
  operator GradientGap() const { return worst(); }

  /// Of three verdicts the first; the others are failed(), and that nothing can be said.
  bool ok() const { return !failed() && tells(); }
  bool failed() const { return !fault.empty() || !differences.ok() || (adjoint && !adjoint->ok()); }
  /// False if nothing was compared, or nothing of one of the inputs that have elements.
  bool tells() const {
    return untold.empty() && (differences.checked > 0 || (adjoint && adjoint->checked > 0));
  }
  /// Unless tells(): why not, and what to do.
  std::string why_untold() const;
  /// One line per test, with the rule that failed and where, as kette gradcheck prints it.
  std::string str() const;
  void join(const GradientCheck& other);
};

/// One output or several. (Each is weighted, and each is also tested alone.)
struct Outputs : std::vector<Variable> {
  Outputs(Variable one)
      : std::vector<Variable>{std::move(one)} {}  // NOLINT(google-explicit-constructor)
  Outputs(std::vector<Variable> all)
      : std::vector<Variable>(std::move(all)) {}  // NOLINT(google-explicit-constructor)
  template <std::size_t kCount>
  Outputs(const std::array<Variable, kCount>& all)  // NOLINT(google-explicit-constructor)
      : std::vector<Variable>(all.begin(), all.end()) {}
};
using DifferentiableFunction = std::function<Outputs(const std::vector<Variable>&)>;

/// Checks a function of one or more inputs (sample.h: drawn from ranges, or given; i32 inputs are constants). The
/// function is called many times and must be deterministic. Its exceptions pass through.
GradientCheck check_gradients(const DifferentiableFunction& function,
                              const std::vector<SampleInput>& inputs,
                              const GradientCheckOptions& options = {});

/// Checks a scalar function of parameters (leaves of the options' dtype), one parameter after the
/// other. Throws if two calls differ. Gradients of parameters stay as they are.
using ParameterChecks = std::vector<std::pair<std::string, GradientCheck>>;
ParameterChecks check_parameter_gradients(const std::function<Variable()>& loss,
                                          const std::vector<std::shared_ptr<Leaf>>& leaves,
                                          const GradientCheckOptions& options = {});

}  // namespace kette
