// Gradient check: two proofs of one gradient, and what may spoil either.
//
// Differences: the gradient of L = sum_k u_k y_k, with fixed random weights u, against
//   (L(x + h) - L(x - h)) / 2h       element by element     (Deep Learning, section 11.5)
// The random weights matter: the gradient of sum(softmax(x)) is zero, and so is that of a softmax gradient that is wrong.
// Each element is held to its own size, so that a large one hides no small one (autograd/differences.h).
//
// Adjoint test: <u, J v> = <J^T u, v>, where J v comes of forward mode and J^T u of backward(); exact to the last digits of
// f64, where each op has a tangent (autograd/adjoint_check.h).
//
//   const GradientCheck check =
//       check_gradients([](const auto& in) { return my_op(in[0]); }, {{{3, 5}, -1, 1}});
//   std::cout << check.str(); return check.ok() ? 0 : 1;
#pragma once

#include <optional>

#include "autograd/sample.h"

namespace kette {

struct GradientCheckOptions {
  /// An element passes where |expected - got| <= absolute + tolerance * |expected| + the noise of the differences there.
  double tolerance = 1e-6, absolute = 1e-14;
  double adjoint_tolerance = 1e-12;
  double step = 1e-5;        ///< h; where it does not suffice, others are tried
  std::uint64_t seed = 1;    ///< of inputs, weights and directions
  DType dtype = DType::f64;  ///< f64 or f32; see in_f32()
  Device device{};
  /// Of each input or parameter, spread evenly; 0: all.
  std::int64_t elements = 0;
  /// Fast: instead of elements, each input is moved along that many random directions; 0: not so.
  std::int64_t directions = 0;
  /// So many elements go through the adjoint test at once; 1: each alone.
  std::int64_t together = 64;
  bool tries_again = true;  ///< with other steps, where an element fails

  /// For ops that take f32 alone: the step and the tolerance that f32 allows. (The adjoint test: 1e-3.)
  GradientCheckOptions in_f32() const {
    GradientCheckOptions options = *this;
    options.dtype = DType::f32;
    options.step = 5e-3;
    options.tolerance = 1e-3;
    options.absolute = 1e-6;
    options.adjoint_tolerance = 1e-3;
    return options;
  }
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
  /// |expected - got| relative to |expected| and, over the tolerance, what is allowed besides: it fails above the tolerance.
  double gap = 0;
  double of_largest =
      0;  ///< |expected - got| relative to the largest gradient of its input, at least 1e-4
  double tolerance = 0;  ///< it was held to
  double expected = 0, got = 0;
  double noise = 0;              ///< how far `expected` itself may be off
  std::string where;             ///< "input 0 [2, 1]" or a parameter's name and index
  std::int64_t checked = 0;      ///< elements compared
  std::int64_t below_noise = 0;  ///< others, whose whole gradient noise hides: nothing is known
  std::vector<double> gaps{};    ///< of all that was compared

  bool ok() const { return gap <= tolerance; }  // false for NaN
  /// Becomes the worst of both, over the elements of both.
  void join(const GradientGap& other);
};

struct GradientCheck {
  GradientGap differences;
  std::optional<GradientGap> adjoint;
  std::string no_adjoint;  ///< why there is none: "cube: expected an op that has a tangent, ..."
  /// What else is wrong: results that differ from call to call, inputs that are changed, a gradient of a wrong shape.
  std::string fault;
  GradientCheckOptions options;  ///< as they were

  /// The worst of both proofs; of a fault, an infinite gap with its text for a place.
  GradientGap worst() const;
  operator GradientGap() const {
    return worst();
  }  // NOLINT(google-explicit-constructor): what a check gave before

  bool ok() const { return fault.empty() && differences.ok() && (!adjoint || adjoint->ok()); }
  /// Whether anything was compared, by either way.
  bool tells() const { return differences.checked > 0 || (adjoint && adjoint->checked > 0); }
  /// A line for each proof, with the rule that failed and where. (kette gradcheck prints the same.)
  std::string str() const;
  void join(const GradientCheck& other);
};

/// One value, or several (each is weighted, and each is also taken alone).
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

/// Checks a function of one or more inputs (sample.h: drawn from ranges, or given; those of i32 are constants). It is called
/// many times and must be deterministic. What the function throws, this throws.
GradientCheck check_gradients(const DifferentiableFunction& function,
                              const std::vector<SampleInput>& inputs,
                              const GradientCheckOptions& options = {});

/// Checks a scalar function of parameters (leaves with values of the options' dtype), one after the other. Throws if two
/// calls differ.
using ParameterChecks = std::vector<std::pair<std::string, GradientCheck>>;
ParameterChecks check_parameter_gradients(const std::function<Variable()>& loss,
                                          const std::vector<std::shared_ptr<Leaf>>& leaves,
                                          const GradientCheckOptions& options = {});

}  // namespace kette
