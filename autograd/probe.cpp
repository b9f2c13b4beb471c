#include "autograd/probe.h"

#include <limits>
#include <utility>

#include "autograd/anomaly.h"
#include "tensor/ceil_div.h"
#include "tensor/gap.h"
#include "tensor/random.h"
#include "tensor/scalar.h"

namespace kette {

double Probe::along(const std::vector<double>& gradient) const {
  double sum = 0;
  for (std::size_t j = 0; j < elements.size(); ++j) sum += weights[j] * gradient[elements[j]];
  return sum;
}

Moved::Moved(Tensor tensor, const Probe& probe)
    : tensor_(std::move(tensor)), probe_(probe), is_whole_(probe.count() > tensor_.elements() / 8) {
  if (is_whole_) {
    center_ = tensor_.values<double>();
  } else {
    for (const std::int64_t at : probe.elements) center_.push_back(tensor_.view(at, {}).item());
  }
}

void Moved::set(double offset) const {
  const auto write = [&](const Tensor& place, const std::vector<double>& values) {
    place.copy_from(Tensor::from(values, place.shape()).to(place.dtype()));
  };
  std::vector<double> values = center_;
  for (std::size_t j = 0; j < probe_.elements.size(); ++j) {
    values[is_whole_ ? probe_.elements[j] : j] += offset * probe_.weights[j];
  }
  if (is_whole_) return write(tensor_, values);
  for (std::size_t j = 0; j < values.size(); ++j) {
    write(tensor_.view(probe_.elements[j], {}), {values[j]});
  }
}

double Comparison::share() const {
  if (distance() == 0) return 0;
  return allowed > 0 ? distance() / allowed : std::numeric_limits<double>::infinity();
}

Comparisons::Comparisons(std::string label, Shape shape, const std::vector<double>& gradient,
                         double tolerance)
    : label_(std::move(label)), shape_(shape), scale_(1e-4) {
  summary_.tolerance = tolerance;
  for (const double value : gradient) scale_ = std::max(scale_, std::abs(value));
  summary_.where = label_;
}

void Comparisons::add(const Probe& probe, const Comparison& comparison) {
  const bool is_first = summary_.gaps.empty();
  double weight = 0;
  for (const double of_element : probe.weights) weight += std::abs(of_element);
  // If a gradient is wrong, the right one may be the largest of all.
  const double gap = comparison.share() * summary_.tolerance,
               of_largest =
                   comparison.distance() / std::max(weight * scale_, std::abs(comparison.expected));
  std::int64_t& count = comparison.tells() ? summary_.checked : summary_.below_noise;
  count = std::min(count + probe.count(), shape_.elements());
  summary_.gaps.push_back(gap);
  summary_.of_largest = larger_gap(summary_.of_largest, of_largest);
  if (!is_first && !scalar::is_larger(gap, summary_.gap)) return;
  summary_.gap = gap;
  summary_.expected = comparison.expected;
  summary_.got = comparison.got;
  summary_.noise = comparison.noise;
  summary_.where = place_of(probe);
}

std::string Comparisons::place_of(const Probe& probe) const {
  if (probe.count() == 1) return label_ + " " + coordinates(shape_, probe.elements.front());
  if (probe.count() == shape_.elements()) return label_ + " along a random direction";
  return label_ + " at " + std::to_string(probe.count()) + " elements, " +
         coordinates(shape_, probe.elements.front()) + " among them";
}

std::vector<std::int64_t> checked_elements(std::int64_t elements,
                                           const GradientCheckOptions& options) {
  const std::int64_t stride =
      options.elements > 0 ? std::max<std::int64_t>(1, ceil_div(elements, options.elements)) : 1;
  // Elements a stride apart may all lie in one column, so each is moved on by another part of the
  // stride; multiples of the golden ratio spread evenly (Weyl).
  constexpr double kGoldenRatio = 0.6180339887498949;
  std::vector<std::int64_t> chosen;
  for (std::int64_t begin = 0; begin < elements; begin += stride) {
    const double turns = static_cast<double>(chosen.size()) * kGoldenRatio;
    const std::int64_t width = std::min(stride, elements - begin);
    chosen.push_back(begin + static_cast<std::int64_t>((turns - std::floor(turns)) *
                                                       static_cast<double>(width)));
  }
  return chosen;
}

std::vector<Probe> probes_of(std::int64_t elements, const GradientCheckOptions& options) {
  std::vector<Probe> probes;
  if (options.directions > 0 && elements > 1) {
    for (std::int64_t i = 0; i < options.directions; ++i) {
      Random random(options.seed, 2000 + static_cast<std::uint64_t>(i));
      Probe all;
      for (std::int64_t j = 0; j < elements; ++j) {
        all.elements.push_back(j);
        all.weights.push_back(std::copysign(random.uniform(0.5, 1), random.uniform(-1, 1)));
      }
      probes.push_back(std::move(all));
    }
    return probes;
  }
  for (const std::int64_t i : checked_elements(elements, options)) probes.push_back({{i}, {1.0}});
  return probes;
}

std::vector<Values> weights_of(const Outputs& outputs, std::uint64_t seed) {
  Random random(seed, 1000);
  std::vector<Values> weights;
  for (const Variable& output : outputs) {
    Values& of_output = weights.emplace_back(static_cast<std::size_t>(output.value().elements()));
    for (double& weight : of_output) weight = random.uniform(-1, 1);
  }
  return weights;
}

void backward_weighted(Tape& tape, const std::vector<Variable>& values,
                       const std::vector<Values>& weights, double factor) {
  std::vector<Variable> from;
  std::vector<Tensor> upstream;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Tensor& value = values[i].value();
    if (!value.defined() || !tape.tracks(values[i])) continue;
    Values scaled = weights[i];
    for (double& weight : scaled) weight *= factor;
    from.push_back(values[i]);
    upstream.push_back(Tensor::from(scaled, value.shape()).to(value.dtype()).to(value.device()));
  }
  if (!from.empty()) tape.backward(from, upstream);
}

Values sampled_rounding(const Values& once, const std::function<Values(double factor)>& again) {
  constexpr double kSafety = 10;
  Values rounding(once.size());
  for (const double factor : {3.0, 5.0, 7.0, 11.0, 13.0, 17.0, 19.0}) {
    const Values other = again(factor);
    for (std::size_t i = 0; i < once.size(); ++i) {
      rounding[i] = std::max(rounding[i], kSafety * std::abs(other[i] / factor - once[i]));
    }
  }
  return rounding;
}

std::string untold(const std::string& label, const Values& gradient, GradientGap& differences,
                   const GradientGap* adjoint, const std::function<Values(double factor)>& again,
                   const GradientCheckOptions& options) {
  const bool is_told = differences.checked > 0 || (adjoint && adjoint->checked > 0);
  if (is_told || gradient.empty()) return "";
  const Values rounding = sampled_rounding(gradient, again);
  bool is_zero = true, is_rounded = false;
  for (const std::int64_t i : checked_elements(std::ssize(gradient), options)) {
    is_zero = is_zero && std::abs(gradient[i]) <= rounding[i];
    is_rounded = is_rounded || gradient[i] != 0;
  }
  if (!is_zero || !is_rounded) return label;
  differences.checked += std::exchange(differences.below_noise, 0);
  return "";
}

std::vector<double> values_or_zeros(const Tensor& gradient, const Shape& shape) {
  return gradient.defined() ? gradient.values<double>()
                            : std::vector<double>(static_cast<std::size_t>(shape.elements()));
}

}  // namespace kette
