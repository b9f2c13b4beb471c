// What the two proofs of a gradient share: which elements are moved together, how a tensor is moved, and how the worst
// verdict is found.
#pragma once

#include <algorithm>
#include <cmath>

#include "autograd/gradient_check.h"
#include "autograd/tape.h"

namespace kette {

/// Elements of a tensor that are moved together, each by its weight.
struct Probe {
  std::vector<std::int64_t> elements;
  std::vector<double> weights;

  std::int64_t count() const { return static_cast<std::int64_t>(elements.size()); }
  /// sum_j weight_j gradient_j: what a change of the loss along the probe should be.
  double along(const std::vector<double>& gradient) const;
};

/// A tensor on any device of which some elements are moved while this lives.
class Moved {
 public:
  Moved(Tensor tensor, const Probe& probe);
  ~Moved() { set(0); }
  Moved(const Moved&) = delete;
  Moved& operator=(const Moved&) = delete;

  /// Each element of the probe to where it was, and `offset` times its weight further.
  void set(double offset) const;

 private:
  Tensor tensor_;
  const Probe& probe_;
  bool is_whole_;               // written as a whole, not element by element
  std::vector<double> center_;  // of the whole, or of the probe's elements
};

/// One probe's verdict.
struct Verdict {
  double expected = 0, got = 0, noise = 0;
  double allowed = 0;  ///< largest |expected - got| that passes

  double distance() const { return std::abs(expected - got); }
  double size() const { return std::max(std::abs(expected), std::abs(got)); }
  /// distance() by that; it fails above 1.
  double share() const;
  /// Not if noise hides the whole gradient.
  bool tells() const { return size() == 0 || share() > 1 || noise < size(); }
};

/// Gathers the verdicts of one input into what is reported of it.
class Verdicts {
 public:
  /// gradient: of the input; gaps are relative to its largest element, or to 1e-4.
  Verdicts(std::string label, Shape shape, const std::vector<double>& gradient, double tolerance);
  void add(const Probe& probe, const Verdict& verdict);
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

/// Every so many of them, as options.elements says.
std::vector<std::int64_t> checked_elements(std::int64_t elements,
                                           const GradientCheckOptions& options);
/// Those one by one; or options.directions of all elements, with random weights.
std::vector<Probe> probes_of(std::int64_t elements, const GradientCheckOptions& options);

/// u: fixed random weights of the elements of each output.
std::vector<Values> weights_of(const Outputs& outputs, std::uint64_t seed);
/// Backward from those of the values that are defined and tracked: their gradients are u times a factor.
void backward_weighted(Tape& tape, const std::vector<Variable>& values,
                       const std::vector<Values>& weights, double factor);

/// How far rounding has the elements off that are made of a loss, or of its gradient, times a factor (seven odd ones, which do
/// not round as 1 does), and taken over it: ten times the largest difference to `once`, those of factor 1, for each, since
/// all samples of an error may be small.
Values sampled_rounding(const Values& once, const std::function<Values(double factor)>& again);

/// All elements, or zeros where no gradient arrived.
std::vector<double> values_or_zeros(const Tensor& gradient, const Shape& shape);

}  // namespace kette
