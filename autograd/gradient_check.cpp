#include "autograd/gradient_check.h"

#include <cmath>

#include "autograd/anomaly.h"
#include "autograd/tape.h"
#include "tensor/ceil_div.h"
#include "tensor/gap.h"
#include "tensor/random.h"

namespace kette {
namespace {

/// Below this largest gradient the noise of central differences, about 1e-11, would read as an error.
constexpr double kSmallestScale = 1e-4;

/// The loss along one element of a tensor on any device.
using Line = std::function<double(double offset)>;
Line along(const Tensor& x, std::int64_t index, const std::function<double()>& loss) {
  const Tensor element = x.view(index, {});
  const auto write = [element](double value) {
    element.copy_from(Tensor::from(std::vector<double>{value}, Shape{}, element.device()));
  };
  return [=, center = element.item()](double offset) {
    write(center + offset);
    const double value = loss();
    write(center);
    return value;
  };
}
double central_difference(const Line& f, double h) { return (f(h) - f(-h)) / (2 * h); }
/// Of second order, too, but from one side alone: the other one for a negative h.
double one_sided_difference(const Line& f, double h) {
  return (4 * f(h) - f(2 * h) - 3 * f(0)) / (2 * h);
}
/// Of that difference and others, the one that is nearest to the gradient. With a larger step the loss's own rounding counts
/// less, a smaller one leaves kinks outside, and on one side there is none where one lies on the other, as with a
/// ReLU. A wrong gradient is far from all of them.
double nearest_difference(const Line& f, double step, double gradient, double nearest) {
  for (const double h : {step, 10 * step, 0.1 * step}) {
    for (const double difference :
         {central_difference(f, h), one_sided_difference(f, h), one_sided_difference(f, -h)}) {
      if (std::abs(difference - gradient) < std::abs(nearest - gradient)) nearest = difference;
    }
  }
  return nearest;
}

/// From one element that is checked to the next.
std::int64_t stride_of(const Tensor& x, std::int64_t elements) {
  return elements > 0 ? std::max<std::int64_t>(1, ceil_div(x.elements(), elements)) : 1;
}

/// Differences of `loss` in some elements of x, held against `gradient`.
GradientGap compare(const Tensor& x, const Tensor& gradient, const std::function<double()>& loss,
                    std::int64_t stride, const std::string& label,
                    const GradientCheckOptions& options) {
  const std::vector<double> got = gradient.defined()
                                      ? gradient.values<double>()
                                      : std::vector<double>(static_cast<std::size_t>(x.elements()));
  std::vector<std::pair<std::int64_t, double>> expected;
  double scale = kSmallestScale;
  for (const double value : got) scale = std::max(scale, std::abs(value));
  for (std::int64_t i = 0; i < x.elements(); i += stride) {
    expected.emplace_back(i, central_difference(along(x, i, loss), options.step));
    scale = std::max(scale, std::abs(expected.back().second));
  }
  GradientGap worst;
  worst.where = label;
  worst.checked = static_cast<std::int64_t>(expected.size());
  for (auto& [index, difference] : expected) {
    const double value = got[index];
    // Tries cost several passes: where many elements are wrong, only one that would be the worst is worth them.
    if (options.tries_again &&
        std::abs(difference - value) > std::max(worst.gap, options.tolerance) * scale) {
      difference = nearest_difference(along(x, index, loss), options.step, value, difference);
    }
    const double gap = std::abs(difference - value) / scale;
    worst.gaps.push_back(gap);
    if (!is_larger_gap(gap, worst.gap)) continue;
    worst.gap = gap;
    worst.expected = difference;
    worst.got = value;
    worst.where = label + " " + coordinates(x.shape(), index);
  }
  return worst;
}

}  // namespace

void GradientGap::join(const GradientGap& other) {
  if (where.empty() || is_larger_gap(other.gap, gap)) {
    gap = other.gap;
    expected = other.expected;
    got = other.got;
    where = other.where;
  }
  checked += other.checked;
  gaps.insert(gaps.end(), other.gaps.begin(), other.gaps.end());
}

std::vector<Tensor> sample_inputs(const std::vector<SampleInput>& inputs, DType dtype,
                                  std::uint64_t seed, Device device) {
  std::vector<Tensor> result;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Random random(seed, i);
    std::vector<double> values(static_cast<std::size_t>(inputs[i].shape.elements()));
    for (double& value : values) value = random.uniform(inputs[i].low, inputs[i].high);
    result.push_back(Tensor::from(values, inputs[i].shape).to(dtype).to(device));
  }
  return result;
}

GradientGap check_gradients(const DifferentiableFunction& function,
                            const std::vector<SampleInput>& inputs,
                            const GradientCheckOptions& options, std::int64_t elements_each) {
  const std::vector<Tensor> values =
      sample_inputs(inputs, DType::f64, options.seed, options.device);
  std::vector<double> weights;
  const auto weighted_sum = [&](const Tensor& y) {
    const std::vector<double> elements = y.values<double>();
    double total = 0;
    for (std::size_t i = 0; i < elements.size(); ++i) total += weights[i] * elements[i];
    return total;
  };

  Tape tape;
  std::vector<Variable> watched;
  for (const Tensor& value : values) watched.push_back(tape.watch(value.clone()));
  const Variable output = function(watched);
  Random random(options.seed, 1000);
  for (std::int64_t i = 0; i < output.value().elements(); ++i)
    weights.push_back(random.uniform(-1, 1));
  tape.backward(output, Tensor::from(weights, output.shape(), options.device));

  GradientGap worst;
  const PauseRecording pause;
  const auto loss = [&] {
    return weighted_sum(function(std::vector<Variable>(values.begin(), values.end())).value());
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    worst.join(compare(values[i], tape.gradient(watched[i]), loss,
                       stride_of(values[i], elements_each), "input " + std::to_string(i), options));
  }
  return worst;
}

std::vector<std::pair<std::string, GradientGap>> check_parameter_gradients(
    const std::function<Variable()>& loss, const std::vector<std::shared_ptr<Leaf>>& leaves,
    std::int64_t elements_each, const GradientCheckOptions& options) {
  for (const auto& leaf : leaves) leaf->gradient.zero();
  {
    Tape tape;
    tape.backward(loss());
  }
  std::vector<std::pair<std::string, GradientGap>> gaps;
  for (const auto& leaf : leaves) {
    gaps.emplace_back(leaf->name,
                      compare(
                          leaf->value, leaf->gradient, [&] { return loss().value().item(); },
                          stride_of(leaf->value, elements_each), leaf->name, options));
  }
  return gaps;
}

}  // namespace kette
