// Forward mode: tangents of every op agree with differences, and gradients with tangents.
#include <doctest/doctest.h>

#include <cmath>

#include "autograd/all_ops.h"
#include "autograd/checkpoint.h"
#include "autograd/hessian.h"
#include "tests/devices.h"
#include "tests/gradients.h"

using namespace kette;

TEST_CASE("every op: <u, J v> is <J^T u, v> for each element alone, to 1e-12") {
  for (const Device device : test_devices()) {
    GradientCheckOptions options{.device = device, .elements = 40, .together = 1};
    if (device.kind == DeviceKind::cuda) options.elements = 6;  // the emulator is slow
    double worst = 0;
    for (const OpInfo& op : all_ops()) {
      for (const Sample& sample : op.samples) {
        CAPTURE(op.name);
        CAPTURE(sample.label);
        const GradientCheck check = check_gradients(sample.call, sample.inputs, options);
        testing::expect_right(check);
        if (check.adjoint) worst = std::max(worst, check.adjoint->gap);
      }
    }
    CHECK(worst < 1e-12);
  }
}

TEST_CASE("every op: its tangent is the difference along it") {
  constexpr double kStep = 1e-5;
  for (const OpInfo& op : all_ops()) {
    for (const Sample& sample : op.samples) {
      CAPTURE(op.name);
      CAPTURE(sample.label);
      const std::vector<Tensor> x = sample_inputs(sample.inputs, DType::f64, 3);
      const std::vector<Tensor> v = sample_inputs(sample.inputs, DType::f64, 4);
      const auto moved = [&](double step) {
        std::vector<Variable> at;
        for (std::size_t i = 0; i < x.size(); ++i) {
          std::vector<double> values = x[i].values<double>();
          const std::vector<double> direction = v[i].values<double>();
          for (std::size_t e = 0; e < values.size(); ++e) values[e] += step * direction[e];
          at.emplace_back(Tensor::from(values, x[i].shape()));
        }
        return sample.call(at).value().values<double>();
      };
      std::vector<Variable> duals;
      for (std::size_t i = 0; i < x.size(); ++i) duals.push_back(Variable(x[i]).with_tangent(v[i]));
      const Variable y = sample.call(duals);
      REQUIRE(y.has_tangent());
      const std::vector<double> tangent = y.tangent().value().values<double>(), up = moved(kStep),
                                down = moved(-kStep);
      double largest = 1e-6, gap = 0;
      for (std::size_t e = 0; e < tangent.size(); ++e) {
        const double difference = (up[e] - down[e]) / (2 * kStep);
        largest = std::max(largest, std::abs(difference));
        gap = std::max(gap, std::abs(difference - tangent[e]));
      }
      CHECK(gap / largest < 1e-6);
    }
  }
}

TEST_CASE("every op: second derivatives agree with differences of gradients, and are symmetric") {
  for (const OpInfo& op : all_ops()) {
    for (const Sample& sample : op.samples) {
      CAPTURE(op.name);
      CAPTURE(sample.label);
      testing::expect_right(check_second_order(sample.call, sample.inputs, {.elements = 60}));
    }
  }
}

TEST_CASE("checkpoint: tangents pass it, and second derivatives") {
  const DifferentiableFunction recomputed = [](const std::vector<Variable>& in) {
    return square(checkpoint(
        [](const std::vector<Variable>& given) { return tanh(given[0] * given[1]); }, in));
  };
  testing::expect_right(check_gradients(recomputed, {{{3, 4}}, {{4}}}));
  testing::expect_right(check_second_order(recomputed, {{{3, 4}}, {{4}}}));
}
