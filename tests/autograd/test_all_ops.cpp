// The op table drives these: every op, every sample. Gradients in f64 against central differences;
// values against the plain reference in f64, f32 and bf16; f32 gradients against f64 ones.
#include <doctest/doctest.h>

#include <cmath>

#include "autograd/all_ops.h"
#include "autograd/gradient_check.h"
#include "tests/devices.h"
#include "tests/gap.h"
#include "tests/gradients.h"

using namespace kette;

namespace {

/// Largest difference relative to the largest magnitude (at least 1).
double distance(const Values& expected, const Values& got) {
  REQUIRE(expected.size() == got.size());
  double scale = 1, worst = 0;
  for (const double value : expected) scale = std::max(scale, std::abs(value));
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double gap = std::abs(expected[i] - got[i]) / scale;
    worst = larger_gap(worst, gap);
  }
  return worst;
}

/// Output and input gradients of a sample in a dtype on a device, the output weighted by the same
/// random numbers in each.
std::vector<Values> run(const Sample& sample, DType dtype, Device device = {}) {
  Tape tape;
  std::vector<Variable> inputs;
  // Rounded through bf16 first, so that every dtype is given the very same numbers.
  for (const Tensor& input : sample_inputs(sample.inputs, DType::bf16, 7)) {
    inputs.push_back(tape.watch(input.to(dtype).to(device)));
  }
  const Variable output = sample.call(inputs);
  CHECK(output.value().dtype() == dtype);
  Random random(3);
  std::vector<double> weights;
  for (std::int64_t i = 0; i < output.value().elements(); ++i)
    weights.push_back(random.uniform(-1, 1));
  std::vector<Values> result{output.value().values<double>()};
  tape.backward(output, Tensor::from(weights, output.shape()).to(DType::bf16).to(dtype).to(device));
  for (const Variable& input : inputs) result.push_back(tape.gradient(input).values<double>());
  return result;
}

// exp whose derivative is 1 % off, and a softmax whose gradient is zero: a check on sum(y) would
// let the second pass.
struct WrongExp {
  static constexpr const char* name = "wrong_exp";
  Tensor y{};
  Tensor forward(const Tensor& x) { return y = exp(Variable(x)).value(); }
  void backward(const Tensor& dy, GradientSlot& dx) {
    dx.add((affine(Variable(dy), 1.01) * Variable(y)).value());
  }
};
struct FrozenSoftmax {
  static constexpr const char* name = "frozen_softmax";
  Tensor forward(const Tensor& x) { return softmax(Variable(x)).value(); }
  void backward(const Tensor& dy, GradientSlot& dx) {
    dx.add(Tensor::zeros(dy.shape(), dy.dtype()));
  }
};

}  // namespace

TEST_CASE("every op: one value may be several of its inputs, and be used elsewhere, too") {
  const auto flat = [](const Variable& x) { return reshape(x, {x.value().elements()}); };
  int pairs = 0;
  for (const OpInfo& op : all_ops()) {
    for (const Sample& sample : op.samples) {
      for (std::size_t j = 1; j < sample.inputs.size(); ++j) {
        for (std::size_t i = 0; i < j; ++i) {
          const SampleInput &a = sample.inputs[i], &b = sample.inputs[j];
          const double low = std::max(a.low, b.low), high = std::min(a.high, b.high);
          if (!(a.shape == b.shape) || low >= high) continue;
          std::vector<SampleInput> inputs = sample.inputs;
          inputs[i] = {a.shape, low, high};
          const auto function = [&](std::vector<Variable> in) {
            in[i] = in[j] = affine(in[i], 1);  // no leaf, whose gradients gather in place
            const Variable y = sample.call(in);
            return concatenate(flat(y), flat(in[i]));
          };
          CAPTURE(op.name);
          CAPTURE(sample.label);
          CAPTURE(i);
          CAPTURE(j);
          testing::expect_right(check_gradients(function, inputs));
          ++pairs;
        }
      }
    }
  }
  CHECK(pairs > 10);
}

TEST_CASE("linear: a bias has its gradient where there are no inputs") {
  Tape tape;
  const Variable bias = tape.watch(Tensor::zeros({3}));
  const Variable y =
      linear(Variable(Tensor::zeros({4, 0})), tape.watch(Tensor::zeros({3, 0})), bias);
  tape.backward(sum(y));
  CHECK(tape.gradient(bias).values<float>() == std::vector<float>{4, 4, 4});
}

TEST_CASE("every op: gradients agree with differences, and with tangents") {
  for (const OpInfo& op : all_ops()) {
    REQUIRE(!op.samples.empty());
    for (const Sample& sample : op.samples) {
      CAPTURE(op.name);
      CAPTURE(sample.label);
      testing::expect_right(check_gradients(sample.call, sample.inputs));
    }
  }
}

TEST_CASE("every op: values agree with the plain reference in every dtype") {
  for (const OpInfo& op : all_ops()) {
    for (const Sample& sample : op.samples) {
      CAPTURE(op.name);
      CAPTURE(sample.label);
      std::vector<Values> inputs;
      for (const Tensor& input : sample_inputs(sample.inputs, DType::bf16, 7)) {
        inputs.push_back(input.values<double>());
      }
      const Values expected = sample.reference(inputs);
      CHECK(distance(expected, run(sample, DType::f64)[0]) < 1e-12);
      CHECK(distance(expected, run(sample, DType::f32)[0]) < 5e-6);
      CHECK(distance(expected, run(sample, DType::bf16)[0]) < 2e-2);
    }
  }
}

TEST_CASE("every op: f32 and bf16 gradients agree with f64 ones") {
  for (const OpInfo& op : all_ops()) {
    for (const Sample& sample : op.samples) {
      CAPTURE(op.name);
      CAPTURE(sample.label);
      const auto f64 = run(sample, DType::f64), f32 = run(sample, DType::f32),
                 bf16 = run(sample, DType::bf16);
      for (std::size_t i = 1; i < f64.size(); ++i) {
        CHECK(distance(f64[i], f32[i]) < 2e-5);
        CHECK(distance(f64[i], bf16[i]) < 5e-2);
      }
    }
  }
}

TEST_CASE("every op: an operand of another dtype is an error") {
  for (const OpInfo& op : all_ops()) {
    CAPTURE(op.name);
    for (const Sample& sample : op.samples) {
      CAPTURE(sample.label);
      const std::vector<Tensor> given = sample_inputs(sample.inputs, DType::f64, 7);
      for (std::size_t other = 1; other < given.size(); ++other) {
        std::vector<Variable> inputs(given.begin(), given.end());
        inputs[other] = given[other].to(DType::f32);
        CHECK_THROWS_AS(sample.call(inputs), Error);
        inputs.assign(given.begin(), given.end());
        inputs[0] = given[0].to(DType::f32);
        CHECK_THROWS_AS(sample.call(inputs), Error);
      }
    }
  }
}

TEST_CASE("CUDA: every op agrees with the CPU in every dtype, forward and backward") {
  const std::vector<Device> devices = test_devices();
  if (devices.size() == 1) return skip_cuda();
  for (const OpInfo& op : all_ops()) {
    for (const Sample& sample : op.samples) {
      for (const DType dtype : {DType::f64, DType::f32, DType::bf16}) {
        const double tolerance = dtype == DType::f64 ? 1e-12 : dtype == DType::f32 ? 1e-5 : 3e-2;
        CAPTURE(op.name);
        CAPTURE(sample.label);
        CAPTURE(std::string(name_of(dtype)));
        const auto expected = run(sample, dtype), got = run(sample, dtype, devices[1]);
        for (std::size_t i = 0; i < expected.size(); ++i) {
          CHECK(distance(expected[i], got[i]) < tolerance);
        }
      }
    }
  }
}

TEST_CASE("CUDA: every op's gradients agree with differences, and with tangents") {
  const std::vector<Device> devices = test_devices();
  if (devices.size() == 1) return skip_cuda();
  GradientCheckOptions options;
  options.device = devices[1];
  for (const OpInfo& op : all_ops()) {
    const Sample& sample = op.samples.front();
    CAPTURE(op.name);
    testing::expect_right(check_gradients(sample.call, sample.inputs, options));
  }
}

TEST_CASE("a gradient that is wrong is found") {
  CHECK(
      !check_gradients([](const auto& in) { return record(WrongExp{}, in[0]); }, {{{3, 4}}}).ok());
  CHECK(!check_gradients([](const auto& in) { return record(FrozenSoftmax{}, in[0]); }, {{{3, 4}}})
             .ok());
}

TEST_CASE("a gradient is right however near a kink lies, and a wrong one is not") {
  const auto right = [](const auto& in) { return relu(in[0]); };
  const auto wrong = [](const auto& in) { return record(WrongExp{}, relu(in[0])); };
  for (const double distance : {1e-4, 1e-5, 1e-6, 1e-9, 0.0}) {
    CAPTURE(distance);
    for (const double sign : {1.0, -1.0}) {
      const double edge = sign * distance, other = edge * 1.001;
      const SampleInput near{{5}, std::min(edge, other), std::max(edge, other)};
      testing::expect_right(check_gradients(right, {near}));
      if (edge > 0) CHECK(check_gradients(wrong, {near}).differences.gap > 1e-3);
    }
  }
  // Where both are, it is the wrong gradient that is named, however far a kink throws its neighbours off.
  const auto both = [](const auto& in) {
    return record(WrongExp{}, in[0]) + affine(relu(in[0]), 4);
  };
  const double gap = check_gradients(both, {{{5}, 1e-9, 2e-9}}).differences.of_largest;
  CHECK(gap > 1e-3);
  CHECK(gap < 1e-2);
  // It takes the other differences.
  const SampleInput kink{{5}, 1e-9, 2e-9};
  CHECK(check_gradients(right, {kink}, GradientCheckOptions().at_step_alone(1e-5)).differences.gap >
        0.1);
}
