// What a gradient check takes, what it names, and when it says that it cannot tell.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "autograd/all_ops.h"
#include "autograd/hessian.h"
#include "tests/gradients.h"
#include "tests/support.h"

using namespace kette;
using namespace kette::testing;

namespace {

using In = const std::vector<Variable>&;

Tensor from(const std::vector<double>& values, Shape shape) { return Tensor::from(values, shape); }

/// y = x^3, whose gradient is made by a function of x and dy.
struct Own {
  static constexpr const char* name = "own";
  std::function<void(const Tensor& x, const Tensor& dy, GradientSlot& dx)> gradient;
  Tensor x{};
  Tensor forward(const Tensor& input) {
    x = input;
    return (square(Variable(x)) * Variable(x)).value();
  }
  void backward(const Tensor& dy, GradientSlot& dx) { gradient(x, dy, dx); }
};
GradientCheck check_own(const decltype(Own::gradient)& gradient) {
  return check_gradients([&](In in) { return record(Own{gradient}, in[0]); }, {{{4}}});
}
void right_gradient(const Tensor& x, const Tensor& dy, GradientSlot& dx) {
  dx.add((affine(square(Variable(x)), 3) * Variable(dy)).value());
}

/// p = gains, biases: y = 3e8 gain + bias.
struct GainAndBias {
  static constexpr const char* name = "gain_and_bias";
  double sign = 1;
  Tensor forward(const Tensor& p) {
    const std::vector<double> v = p.values<double>();
    std::vector<double> y(v.size() / 2);
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = 3e8 * v[i] + v[y.size() + i];
    return Tensor::from(y);
  }
  void backward(const Tensor& dy, GradientSlot& dp) {
    std::vector<double> g;
    for (const double d : dy.values<double>()) g.push_back(3e8 * d);
    for (const double d : dy.values<double>()) g.push_back(sign * d);
    dp.add(Tensor::from(g));
  }
};

/// y = 3 x; its backward is right, then writes over dy.
struct Scratch {
  static constexpr const char* name = "scratch";
  Tensor forward(const Tensor& x) { return affine(Variable(x), 3).value(); }
  void backward(const Tensor& dy, GradientSlot& dx) {
    dx.add(affine(Variable(dy), 3).value());
    std::fill_n(dy.data<double>(), dy.elements(), 0.0);
  }
};

/// y = 2 x, made in x itself, or of a copy.
struct InPlace {
  static constexpr const char* name = "in_place";
  Tensor forward(const Tensor& x) {
    double* values = x.data<double>();
    for (std::int64_t i = 0; i < x.elements(); ++i) values[i] *= 2;
    return x.clone();
  }
  void backward(const Tensor& dy, GradientSlot& dx) { dx.add(affine(Variable(dy), 2).value()); }
};

/// Sum and difference; `forgets`: of a gradient that is undefined, or of the second output.
struct SumAndDifference {
  static constexpr const char* name = "sum_and_difference";
  bool guards = true, forgets = false;
  std::array<Tensor, 2> forward(const Tensor& a, const Tensor& b) {
    return {(Variable(a) + Variable(b)).value(), (Variable(a) - Variable(b)).value()};
  }
  void backward(const std::array<Tensor, 2>& dy, GradientSlot& da, GradientSlot& db) {
    if (guards ? dy[0].defined() : true) {
      da.add(affine(Variable(dy[0]), 1).value());
      db.add(affine(Variable(dy[0]), 1).value());
    }
    if (forgets || !dy[1].defined()) return;
    da.add(affine(Variable(dy[1]), 1).value());
    db.add(affine(Variable(dy[1]), -1).value());
  }
  std::array<Variable, 2> tangent(const std::array<Variable, 2>&, const std::array<Variable, 2>& d,
                                  const std::array<Variable, 2>&) const {
    return {d[0] + d[1], d[0] - d[1]};
  }
};

/// y = scale * x.
struct Scaled {
  static constexpr const char* name = "scaled";
  Tensor scale, of_gradient;
  Tensor forward(const Tensor& x) { return (Variable(x) * Variable(scale)).value(); }
  void backward(const Tensor& dy, GradientSlot& dx) {
    dx.add((Variable(dy) * Variable(of_gradient)).value());
  }
};

/// y = x^3; its gradient is right, and its tangent takes x for a constant.
struct Cubed {
  static constexpr const char* name = "cubed";
  bool is_constant = false;
  Tensor x{};
  Tensor forward(const Tensor& input) {
    x = input;
    return (square(Variable(x)) * Variable(x)).value();
  }
  void backward(const Tensor& dy, GradientSlot& dx) { right_gradient(x, dy, dx); }
  Variable tangent(const std::array<Variable, 1>& in, const std::array<Variable, 1>& d,
                   const Variable&) const {
    const Variable at = is_constant ? Variable(in[0].value()) : in[0];
    return affine(square(at), 3) * d[0];
  }
};

/// Right together, wrong alone: what comes of one output goes to one input.
struct Mixed : SumAndDifference {
  void backward(const std::array<Tensor, 2>& dy, GradientSlot& da, GradientSlot& db) {
    if (dy[0].defined() && dy[1].defined()) return SumAndDifference::backward(dy, da, db);
    da.add(affine(Variable(dy[dy[0].defined() ? 0 : 1]), 2).value());
  }
};

/// Takes f32 alone.
struct HalfOf {
  static constexpr const char* name = "half_of";
  double factor = 0.5;
  Tensor forward(const Tensor& x) {
    const float* values = x.data<float>();
    std::vector<float> half(values, values + x.elements());
    for (float& value : half) value *= 0.5f;
    return Tensor::from(half, x.shape());
  }
  void backward(const Tensor& dy, GradientSlot& dx) {
    dx.add(affine(Variable(dy), factor).value());
  }
};

}  // namespace

TEST_CASE("gradient check: a large gradient hides no small one") {
  const auto check = [](double sign) {
    return check_gradients([=](In in) { return record(GainAndBias{sign}, in[0]); }, {{{6}}});
  };
  expect_right(check_gradients([](In in) { return affine(in[0], 3e8); }, {{{6}}}));
  CHECK(check(1).ok());
  const GradientCheck wrong = check(-1);
  CHECK(!wrong.ok());
  CHECK(contains(wrong.differences.where, "input 0 ["));
  CHECK(wrong.differences.where >= "input 0 [3]");
  for (const double large : {1e5, 1e7, 1e9}) {
    for (const double factor : {0.5, -1.0, 0.0, 1.01}) {
      CAPTURE(large);
      CAPTURE(factor);
      const Tensor scale = from({large, 1, 1, 1}, {4});
      const Tensor wrong_scale = from({large, factor, factor, factor}, {4});
      const auto sum_of = [](const Tensor& s, const Tensor& g) {
        return [=](In in) { return sum(record(Scaled{s, g}, in[0])); };
      };
      CHECK(check_gradients(sum_of(scale, scale), {{{4}}}).ok());
      CHECK(!check_gradients(sum_of(scale, wrong_scale), {{{4}}}).ok());
    }
  }
}

TEST_CASE("gradient check: tolerance means what it says, and noise is told") {
  const auto off = [](double by, double tolerance) {
    const auto gradient = [=](const Tensor& x, const Tensor& dy, GradientSlot& dx) {
      dx.add((affine(square(Variable(x)), 3 * (1 + by)) * Variable(dy)).value());
    };
    return check_gradients([&](In in) { return record(Own{gradient}, in[0]); }, {{{4}, 0.5, 1}},
                           {.tolerance = tolerance});
  };
  CHECK(off(1e-4, 1e-3).ok());
  CHECK(!off(1e-2, 1e-3).ok());
  CHECK(!off(1e-5, 1e-6).ok());
  // A tolerance that no gradient could miss.
  for (const double none : {0.0, -1e-6, std::nan("")}) {
    CAPTURE(none);
    const std::vector<GradientCheckOptions> wrong = {{.tolerance = none},
                                                     {.adjoint_tolerance = none}};
    for (const GradientCheckOptions& options : wrong) {
      const auto refused = [&](const auto& check) {
        CHECK_THROWS_WITH_AS(check(), doctest::Contains("expected tolerances above 0"), Error);
      };
      refused([&] { return check_gradients([](In in) { return in[0]; }, {{{4}}}, options); });
      refused([&] { return check_second_order([](In in) { return in[0]; }, {{{4}}}, options); });
      const auto loss = [] { return Variable(Tensor::zeros({})); };
      refused([&] { return check_parameter_gradients(loss, {}, options); });
      refused([&] { return check_parameters_second_order(loss, {}, options); });
    }
  }
  CHECK_THROWS_AS(GradientCheckOptions{.absolute = -1}.check(), Error);
  CHECK_THROWS_AS(GradientCheckOptions{.step = 0}.check(), Error);
  CHECK_THROWS_AS(GradientCheckOptions{.together = 0}.check(), Error);
  // A gradient far below what a sum of that size tells.
  const auto drowned = [](double slope) {
    return check_gradients([=](In in) { return affine(sum(affine(in[0], slope)), 1, 1e6); },
                           {{{3}}});
  };
  const GradientCheck hidden = drowned(1e-12);
  CHECK(hidden.differences.ok());
  CHECK(hidden.differences.checked == 0);
  CHECK(hidden.differences.below_noise == 3);
  CHECK(hidden.adjoint->checked == 3);  // which needs no step
  CHECK(hidden.tells());
  CHECK(drowned(1).differences.checked == 3);
}

TEST_CASE("gradient check: tensors of one's own, ids, constants, masks, no elements at all") {
  const Tensor positive = from({4, 1, 1, 3}, {2, 2}), mask = from({1, 0, 0, 1}, {2, 2});
  const Tensor ids = Tensor::from(std::vector<std::int32_t>{2, 0, 2});
  const GradientCheck own =
      check_gradients([](In in) { return sqrt(in[0]) * in[1]; }, {given(positive), constant(mask)});
  expect_right(own);
  CHECK(own.differences.checked == 4);
  const GradientCheck rows = check_gradients([](In in) { return embedding(in[1], in[0].value()); },
                                             {given(ids), {{3, 2}}});
  expect_right(rows);
  CHECK(rows.differences.checked == 6);
  CHECK(contains(rows.str(), "input 1"));
  for (const Shape& shape : {Shape{0}, Shape{0, 4}, Shape{3, 0}}) {
    const GradientCheck none = check_gradients([](In in) { return exp(in[0]); }, {{shape}});
    CHECK(!none.ok());
    CHECK(!none.failed());
    CHECK(contains(none.str(), "?: nothing can be said: expected inputs with elements"));
  }
  expect_right(check_gradients([](In in) { return exp(in[0]) * in[1]; }, {{Shape{}}, {{1, 1, 1}}}));
  // A range with a kink inside, which is left out.
  const SampleInput around_zero{{200}, -1, 1, {0}};
  for (const double value : sample_inputs({around_zero}, DType::f64, 1)[0].values<double>()) {
    CHECK(std::abs(value) >= 0.0199);
  }
  // An input that nothing depends on.
  CHECK(check_gradients([](In in) { return exp(in[0]); }, {{{2}}, {{3}}}).ok());
}

TEST_CASE("gradient check: several outputs, each weighted, and each alone") {
  const auto check = [](bool guards, bool forgets) {
    return check_gradients(
        [=](In in) {
          return record(SumAndDifference{guards, forgets}, in[0], in[1]);
        },
        {{{2, 3}}, {{2, 3}}});
  };
  expect_right(check(true, false));
  CHECK(!check(true, true).ok());
  CHECK_THROWS_WITH_AS(
      check(false, false),
      doctest::Contains("sum_and_difference backward (the gradient of its output 0"), Error);
  const GradientCheck mixed =
      check_gradients([](In in) { return record(Mixed{}, in[0], in[1]); }, {{{3}}, {{3}}});
  CHECK(!mixed.ok());
  CHECK(contains(mixed.str(), "sum of those of each output alone"));
}

TEST_CASE("gradient check: names what an op must not do") {
  CHECK(check_own(right_gradient).ok());
  CHECK(contains(check_own(right_gradient).no_adjoint, "own: expected an op that has a tangent"));

  const auto scratch = [](In in) { return record(Scratch{}, in[0]); };
  const std::vector<DifferentiableFunction> uses = {
      scratch, [&](In in) { return scratch(in) + square(in[0]); },
      [&](In in) { return square(in[0]) + scratch(in); }};
  for (const DifferentiableFunction& use : uses) {
    const GradientCheck check = check_gradients(use, {{{4}}});
    CHECK(!check.ok());
    CHECK(contains(check.fault, "scratch: its backward wrote over the gradient of its output"));
  }

  const GradientCheck in_place =
      check_gradients([](In in) { return record(InPlace{}, in[0]); }, {{{4}}});
  CHECK(!in_place.ok());
  CHECK(contains(in_place.fault, "two calls differ: output 0 at [0]"));
  CHECK(contains(
      check_gradients([](In in) { return exp(record(InPlace{}, affine(in[0], 1))); }, {{{4}}})
          .fault,
      "in_place: changed its input 0 at [0]"));

  std::uint64_t calls = 0;
  const GradientCheck random = check_gradients(
      [&](In in) {
        return dropout(in[0], DropoutMask(0.5, {1, ++calls}));
      },
      {{{50}}});
  CHECK(!random.ok());
  CHECK(contains(random.fault, "two calls differ: output 0 at ["));
  // Of other forms, which have other weights.
  std::int64_t length = 0;
  CHECK(contains(check_gradients([&](In in) { return slice(in[0], 0, ++length); }, {{{4}}}).fault,
                 "two calls differ: output 0 is f64 [1] on cpu, then f64 [2] on cpu"));
  calls = 0;
  CHECK(contains(
      check_gradients([&](In in) { return std::vector<Variable>(++calls, in[0]); }, {{{4}}}).fault,
      "two calls differ: the number of outputs is 1, then 2"));
  calls = 0;
  CHECK_THROWS_WITH_AS(
      check_gradients([&](In in) { return slice(in[0], 0, ++calls < 3 ? 4 : 5); }, {{{6}}}),
      doctest::Contains("output 0 is f64 [4] on cpu, then f64 [5] on cpu"), Error);
  length = 0;
  CHECK_THROWS_WITH_AS(
      check_parameter_gradients([&] { return Variable(Tensor::zeros({++length})); }, {}),
      doctest::Contains("the same at each call, given f32 [1] on cpu, then f32 [2] on cpu"), Error);

  calls = 0;
  CHECK_THROWS_WITH_AS(check_parameter_gradients(
                           [&] {
                             return sum(dropout(Variable(Tensor::full({9}, 1, DType::f64)),
                                                DropoutMask(0.5, {1, ++calls})));
                           },
                           {}),
                       doctest::Contains("expected a loss that is the same at each call"), Error);

  const auto given_gradient = [](const Tensor& gradient) {
    return [=](const Tensor&, const Tensor&, GradientSlot& dx) { dx.add(gradient); };
  };
  CHECK_THROWS_WITH_AS(
      check_own(given_gradient(Tensor::zeros({2, 2}, DType::f64).slice(0, 1))),
      doctest::Contains("own backward to its input 0: expected a gradient of shape [4]"), Error);
  CHECK_THROWS_WITH_AS(
      check_own(given_gradient(Tensor::zeros({2, 2}, DType::f64))),
      doctest::Contains("own backward to its input 0: expected a gradient of shape [4]"), Error);
  CHECK(check_own([](const Tensor& x, const Tensor& dy, GradientSlot& dx) {  // axes of 1 aside
          dx.add((affine(square(Variable(x)), 3) * Variable(dy)).value().reshaped({4, 1}));
        })
            .ok());
  CHECK_THROWS_WITH_AS(check_own(given_gradient(Tensor::zeros({4}))),
                       doctest::Contains("own backward to its input 0: expected a gradient of f64"),
                       Error);
  CHECK_THROWS_WITH_AS(
      check_own(given_gradient({})),
      doctest::Contains("own backward to its input 0: expected a gradient of shape"), Error);
  CHECK(!check_own([](const Tensor&, const Tensor&, GradientSlot&) {}).ok());
  CHECK(!check_own([](const Tensor& x, const Tensor&, GradientSlot& dx) {
           dx.add(Tensor::full(x.shape(), std::nan(""), DType::f64));
         }).ok());
}

TEST_CASE("gradient check: an op of f32 alone, at the step and the tolerance of f32") {
  const auto check = [](double factor, const GradientCheckOptions& options) {
    return check_gradients([=](In in) { return record(HalfOf{factor}, in[0]); }, {{{5}}}, options);
  };
  CHECK_THROWS_WITH_AS(check(0.5, {}), doctest::Contains("in_f32()"), Error);
  CHECK(check(0.5, GradientCheckOptions().in_f32()).ok());
  CHECK(!check(0.505, GradientCheckOptions().in_f32()).ok());
  expect_right(check_gradients([](In in) { return softmax(in[0]); }, {{{3, 5}}},
                               GradientCheckOptions().in_f32()));
}

TEST_CASE("second order: what is wrong there alone is found") {
  const auto cubed = [](bool is_constant) {
    return [=](In in) { return record(Cubed{is_constant}, in[0]); };
  };
  expect_right(check_gradients(cubed(true), {{{5}}}));
  expect_right(check_second_order(cubed(false), {{{5}}}));
  CHECK(!check_second_order(cubed(true), {{{5}}}).ok());
  CHECK_THROWS_WITH_AS(
      check_second_order([](In in) { return record(Own{right_gradient}, in[0]); }, {{{5}}}),
      doctest::Contains("own: expected an op that has a tangent"), Error);
}
