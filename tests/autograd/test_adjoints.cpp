// Forward mode: tangents of every op agree with differences, and gradients with tangents.
#include <doctest/doctest.h>

#include <array>
#include <cmath>

#include "autograd/all_ops.h"
#include "autograd/checkpoint.h"
#include "autograd/hessian.h"
#include "autograd/record.h"
#include "tests/devices.h"
#include "tests/gradients.h"

using namespace kette;

namespace {

/// y = a b, whose tangent takes b for a constant in one of its terms.
struct HalfConstantProduct {
  static constexpr const char* name = "half_constant_product";
  Tensor a{}, b{};
  Tensor forward(const Tensor& left, const Tensor& right) {
    a = left;
    b = right;
    return (Variable(a) * Variable(b)).value();
  }
  void backward(const Tensor& dy, GradientSlot& da, GradientSlot& db) {
    da.add((Variable(dy) * Variable(b)).value());
    db.add((Variable(dy) * Variable(a)).value());
  }
  Variable tangent(const std::array<Variable, 2>& in, const std::array<Variable, 2>& d,
                   const Variable&) const {
    return Variable(in[1].value()) * d[0] + in[0] * d[1];
  }
};

}  // namespace

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

TEST_CASE(
    "second order: products that cancel are symmetric up to their rounding, and others are not") {
  using In = const std::vector<Variable>&;
  AttentionOptions options;
  options.pattern = options.pattern.with_linear_weights();
  const Segments one_token = Segments::from_lengths({1});
  for (const std::uint64_t seed : {1U, 7U, 11U, 14U, 20U}) {
    CAPTURE(seed);
    testing::expect_right(
        check_second_order([&](In in) { return linear_attention(in[0], one_token, options); },
                           {{{1, 6}}}, {.seed = seed}));
    testing::expect_right(check_second_order([](In in) { return layer_norm(in[0], in[1], in[2]); },
                                             {{{1, 2}}, {{2}}, {{2}}}, {.seed = seed}));
    testing::expect_right(check_second_order([](In in) { return softmax(in[0]); },
                                             {{{3, 2}, -20, 20}}, {.seed = seed}));
    const GradientCheck wrong = check_second_order(
        [](In in) { return record(HalfConstantProduct{}, softmax(in[0]), in[1]); },
        {{{3, 4}}, {{3, 4}}}, {.seed = seed});
    INFO(wrong.str());
    REQUIRE(wrong.adjoint);
    CHECK(!wrong.adjoint->ok());
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
