#include "autograd/gradient_check.h"

#include <cmath>

#include "autograd/anomaly.h"
#include "autograd/tape.h"
#include "tensor/random.h"

namespace kette {
namespace {

/// Below this largest gradient the noise of central differences, about 1e-11, would read as an error.
constexpr double kSmallestScale = 1e-4;

/// Reads and writes single elements of a tensor on any device.
double read(const Tensor& tensor, std::int64_t index) { return tensor.view(index, {}).item(); }
void write(const Tensor& tensor, std::int64_t index, double value) {
  tensor.view(index, {}).copy_from(
      Tensor::from(std::vector<double>{value}, Shape{}, tensor.device()));
}

/// From one element that is checked to the next.
std::int64_t stride_of(const Tensor& x, std::int64_t elements) {
  return elements > 0 ? std::max<std::int64_t>(1, x.elements() / elements) : 1;
}

/// Central differences of `loss` in some elements of x, held against `gradient`.
GradientGap compare(const Tensor& x, const Tensor& gradient, const std::function<double()>& loss,
                    std::int64_t stride, const std::string& label, double step) {
  const std::vector<double> got = gradient.defined()
                                      ? gradient.values<double>()
                                      : std::vector<double>(static_cast<std::size_t>(x.elements()));
  std::vector<std::pair<std::int64_t, double>> expected;
  double scale = kSmallestScale;
  for (const double value : got) scale = std::max(scale, std::abs(value));
  for (std::int64_t i = 0; i < x.elements(); i += stride) {
    const double center = read(x, i);
    write(x, i, center + step);
    const double above = loss();
    write(x, i, center - step);
    const double below = loss();
    write(x, i, center);
    expected.emplace_back(i, (above - below) / (2 * step));
    scale = std::max(scale, std::abs(expected.back().second));
  }
  GradientGap worst;
  worst.where = label;
  worst.checked = static_cast<std::int64_t>(expected.size());
  for (const auto& [index, difference] : expected) {
    const double value = got[index];
    const double gap = std::abs(difference - value) / scale;
    worst.gaps.push_back(gap);
    if (gap <= worst.gap || std::isnan(worst.gap)) continue;  // a NaN is the worst of all
    worst.gap = gap;
    worst.expected = difference;
    worst.got = value;
    worst.where = label + " " + coordinates(x.shape(), index);
  }
  return worst;
}

}  // namespace

void GradientGap::join(const GradientGap& other) {
  if (where.empty() || !(other.gap <= gap || std::isnan(gap))) {
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
                       stride_of(values[i], elements_each), "input " + std::to_string(i),
                       options.step));
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
                          stride_of(leaf->value, elements_each), leaf->name, options.step));
  }
  return gaps;
}

GradientGap with_other_steps(GradientGap gap, const GradientCheckOptions& options,
                             const std::function<GradientGap(const GradientCheckOptions&)>& check) {
  for (const double factor : {10.0, 0.3, 0.1}) {
    if (gap.gap <= options.tolerance) break;
    GradientCheckOptions again = options;
    again.step = options.step * factor;
    gap = check(again);
  }
  return gap;
}

}  // namespace kette
