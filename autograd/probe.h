// Shared by both tests of a gradient: which elements are moved together, how a tensor is moved, and
// how the largest difference is found.
#pragma once

#include <algorithm>
#include <cmath>

#include "autograd/gradient_check.h"
#include "autograd/tape.h"

namespace kette {

/// Elements of a tensor that are moved together, each in proportion to its weight.
struct Probe {
  std::vector<std::int64_t> elements;
  std::vector<double> weights;

  std::int64_t count() const { return static_cast<std::int64_t>(elements.size()); }
  /// sum_j weight_j gradient_j: the expected derivative of the loss along the probe.
  double along(const std::vector<double>& gradient) const;
};

/// Moves some elements of a tensor, on any device, while this lives.
class Moved {
 public:
  Moved(Tensor tensor, const Probe& probe);
  ~Moved() { set(0); }
  Moved(const Moved&) = delete;
  Moved& operator=(const Moved&) = delete;

  /// Sets each element of the probe to its original value + offset * its weight.
  void set(double offset) const;

 private:
  Tensor tensor_;
  const Probe& probe_;
  bool is_whole_;               // the tensor is written whole, not by element
  std::vector<double> center_;  // original values of the whole, or of the probe's elements
};

/// Compares the derivative along one probe with that from the gradient.
struct Comparison {
  double expected = 0, got = 0, noise = 0;
  double allowed = 0;  ///< largest |expected - got| that passes
  double hidden = 0;   ///< what of it does not shrink with the gradient

  double distance() const { return std::abs(expected - got); }
  double size() const { return std::max(std::abs(expected), std::abs(got)); }
  /// distance() / allowed; fails above 1.
  double share() const;
  /// Whether a gradient that is wrong by 1 % would fail.
  bool tells() const { return size() == 0 || share() > 1 || hidden < 1e-2 * size(); }
};

/// Summarises the comparisons of one input.
class Comparisons {
 public:
  /// gradient: of the input; `of_largest` is relative to its largest element, at least 1e-4.
  Comparisons(std::string label, Shape shape, const std::vector<double>& gradient,
              double tolerance);
  void add(const Probe& probe, const Comparison& comparison);
  const GradientGap& summary() const { return summary_; }
  /// The largest share so far.
  double worst() const { return summary_.gap / summary_.tolerance; }

 private:
  std::string place_of(const Probe& probe) const;

  std::string label_;
  Shape shape_;
  double scale_;
  GradientGap summary_;
};

/// Elements spread evenly, over all rows and columns, as options.elements says.
std::vector<std::int64_t> checked_elements(std::int64_t elements,
                                           const GradientCheckOptions& options);
/// One probe per checked element, or options.directions probes of all elements with random weights.
std::vector<Probe> probes_of(std::int64_t elements, const GradientCheckOptions& options);

/// u: fixed random weights for the elements of each output.
std::vector<Values> weights_of(const Outputs& outputs, std::uint64_t seed);
/// Backward from the values that are defined and tracked, with the gradients factor * u.
void backward_weighted(Tape& tape, const std::vector<Variable>& values,
                       const std::vector<Values>& weights, double factor);

/// The rounding error of each element, sampled. again(factor) computes the elements with the loss,
/// or its gradient, times a factor, for seven odd factors, which round differently from 1. The
/// result is 10 times the largest |again(factor) / factor - once|, since all samples of an error
/// may be small. once: the elements at factor 1.
Values sampled_rounding(const Values& once, const std::function<Values(double factor)>& again);

/// Of an input's gradient, as backward gives it: its label if neither test told anything of its
/// elements, else "". What backward gives may be nothing but its own rounding, as the gradient of
/// a key's bias; that is a gradient of zero, and its elements count as checked. adjoint: null
/// without one. again: as above.
std::string untold(const std::string& label, const Values& gradient, GradientGap& differences,
                   const GradientGap* adjoint, const std::function<Values(double factor)>& again,
                   const GradientCheckOptions& options);

/// All elements, or zeros if no gradient arrived.
std::vector<double> values_or_zeros(const Tensor& gradient, const Shape& shape);

}  // namespace kette
