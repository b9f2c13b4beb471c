#include "autograd/sample.h"

#include <cmath>

#include "tensor/random.h"

namespace kette {
namespace {

/// Uniform in the range, away from kinks.
double drawn(const SampleInput& input, Random& random) {
  constexpr double kAway = 0.01;  // of the range
  const double away = kAway * (input.high - input.low);
  double value = random.uniform(input.low, input.high);
  for (const double kink : input.kinks) {
    if (std::abs(value - kink) < away) value = value < kink ? kink - away : kink + away;
  }
  return value;
}

}  // namespace

std::vector<Tensor> sample_inputs(const std::vector<SampleInput>& inputs, DType dtype,
                                  std::uint64_t seed, Device device) {
  std::vector<Tensor> result;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const SampleInput& input = inputs[i];
    if (input.values.defined()) {
      const bool is_whole = input.values.dtype() == DType::i32;
      result.push_back((is_whole ? input.values : input.values.to(dtype)).to(device).clone());
      continue;
    }
    Random random(seed, i);
    std::vector<double> values(static_cast<std::size_t>(input.shape.elements()));
    for (double& value : values) value = drawn(input, random);
    result.push_back(Tensor::from(values, input.shape).to(dtype).to(device));
  }
  return result;
}

}  // namespace kette
