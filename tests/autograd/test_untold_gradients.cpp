// Gradient checks of which nothing can be said, which elements they take, and what they leave as it was.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "autograd/all_ops.h"
#include "autograd/checkpoint.h"
#include "autograd/hessian.h"
#include "autograd/probe.h"
#include "tests/gradients.h"
#include "tests/support.h"

using namespace kette;
using namespace kette::testing;

namespace {

using Args = const std::vector<Variable>&;

Tensor doubles(const std::vector<double>& values, Shape shape) {
  return Tensor::from(values, shape);
}

/// y = x^2 + offset, and `wrong` times its gradient.
struct Far {
  static constexpr const char* name = "far";
  double offset = 0, wrong = 1;
  Tensor x{};
  Tensor forward(const Tensor& input) {
    x = input;
    return affine(square(Variable(x)), 1, offset).value();
  }
  void backward(const Tensor& dy, GradientSlot& dx) {
    dx.add((affine(Variable(x), 2 * wrong) * Variable(dy)).value());
  }
};

/// y = x^2, whose gradient is right in the first column alone.
struct FirstColumn {
  static constexpr const char* name = "first_column";
  Tensor x{};
  Tensor forward(const Tensor& input) {
    x = input;
    return square(Variable(x)).value();
  }
  void backward(const Tensor& dy, GradientSlot& dx) {
    const Tensor gradient = (affine(Variable(x), 2) * Variable(dy)).value();
    for (std::int64_t i = 0; i < gradient.elements(); ++i) {
      if (i % gradient.width() != 0) gradient.data<double>()[i] = 0;
    }
    dx.add(gradient);
  }
};

/// A loss of two parameters, one of them met only within a checkpoint, whose gradients are set.
struct Met {
  Variable asked = parameter(doubles({1, 2}, {2}), "asked");
  Variable other = parameter(doubles({0.5, -1}, {2}), "other");
  std::int64_t calls = 0, fails_at = 0;

  Met() {
    asked.leaf()->gradient.copy_from(doubles({7, 7}, {2}));
    other.leaf()->gradient.copy_from(doubles({5, 5}, {2}));
    asked.leaf()->cleared = true;
  }
  Variable loss() {
    if (++calls == fails_at) fail("loss: it fails");
    const Variable inner =
        checkpoint([this](Args in) { return square(in[0]) * other; }, {square(asked)});
    return sum(inner);
  }
  void expect_untouched() const {
    CHECK(asked.leaf()->gradient.values<double>() == Values{7, 7});
    CHECK(other.leaf()->gradient.values<double>() == Values{5, 5});
    CHECK(asked.leaf()->cleared);
    CHECK(!other.leaf()->cleared);
    CHECK(!asked.leaf()->tangent.defined());
  }
};

}  // namespace

TEST_CASE("gradient check: is not ok where noise hides a gradient") {
  const auto far = [](double offset, double wrong) {
    return [=](Args in) { return record(Far{offset, wrong}, in[0]); };
  };
  const auto untold = [](const GradientCheck& check, const char* of) {
    INFO(check.str());
    CHECK(!check.ok());
    CHECK(!check.failed());
    CHECK(check.untold == of);
    CHECK(contains(check.str(), "differences: ?, 0 elements"));
    CHECK(contains(check.str(), std::string("noise hides the gradient of ") + of));
  };
  untold(check_gradients(far(1e12, 2), {{{3}}}), "input 0");
  const GradientCheckOptions f32 = GradientCheckOptions().in_f32();
  untold(check_gradients(far(1000, 0.5), {{{3}}}, f32), "input 0");
  untold(check_gradients(far(200, 1.2), {{{3}}}, f32), "input 0");
  CHECK(check_gradients(far(0, 1), {{{3}}}, f32).ok());
  CHECK(check_gradients(far(0, 1.05), {{{3}}}, f32).failed());
  // No other input makes up for it.
  const auto both = [&](Args in) {
    return std::vector<Variable>{exp(in[0]), far(1e12, 2)({in[1]})};
  };
  const GradientCheck second = check_gradients(both, {{{3}}, {{3}}});
  CHECK(second.differences.checked == 3);
  CHECK(!second.ok());
  CHECK(second.untold == "input 1");
  // Nor does another parameter.
  const Variable plain = parameter(doubles({1, 2}, {2}), "plain");
  const Variable hidden = parameter(doubles({1, 2}, {2}), "hidden");
  const ParameterChecks checks =
      check_parameter_gradients([&] { return sum(square(plain)) + sum(far(1e12, 2)({hidden})); },
                                {plain.leaf(), hidden.leaf()});
  CHECK(checks[1].second.untold == "hidden");
  // Of absolute 1e-6 an f32 gradient of 1e-7 says as little.
  untold(check_gradients([&](Args in) { return affine(far(0, 2)(in), 1e-7); }, {{{3}}}, f32),
         "input 0");
}

TEST_CASE("gradient check: a gradient of zero is ok, exact or up to its own rounding") {
  // A constant for all logits of a row, as a key's bias is.
  const Variable bias = parameter(doubles({0.3}, {1}), "bias");
  const Variable unused = parameter(doubles({1, 2}, {2}), "unused");
  const Tensor logits = doubles({0.1, -0.7, 0.4, 1.2, 0.5, -0.2}, {2, 3});
  const Tensor weights = doubles({0.3, 1.7, -0.9, 0.2, 0.8, 1.1}, {2, 3});
  const Variable scale = parameter(doubles({0.3}, {1}), "scale");
  const auto loss = [&] {
    return sum(softmax(Variable(logits) * square(scale) + bias) * Variable(weights));
  };
  const std::vector<std::shared_ptr<Leaf>> leaves = {bias.leaf(), unused.leaf(), scale.leaf()};
  expect_right(check_parameter_gradients(loss, leaves));
  // Of several elements only the zero one is checked.
  const Variable both = parameter(doubles({0.3, 0.5}, {2}), "both");
  expect_right(check_parameter_gradients(
      [&] {
        const Variable keys = softmax(Variable(logits) + slice(both, 0, 1));
        return sum(keys * Variable(weights)) + sum(slice(both, 1, 2));
      },
      {both.leaf()}, {.elements = 1}));
  for (const auto& check : check_parameters_second_order(loss, leaves)) {
    CAPTURE(check.first);
    INFO(check.second.str());
    CHECK(check.second.ok());
  }
}

TEST_CASE("gradient check: some elements only lie in all columns") {
  for (const Shape& shape : {Shape{64, 64}, Shape{16, 512}, Shape{1000, 10}}) {
    CAPTURE(shape.str());
    const auto check = check_gradients([](Args in) { return record(FirstColumn{}, in[0]); },
                                       {{shape, 0.5, 1}}, {.elements = 8});
    CHECK(check.failed());
    CHECK(check.differences.gaps.size() == 8);
  }
  for (const std::int64_t elements : {1, 2, 7, 8, 9, 100, 4096}) {
    const std::vector<std::int64_t> chosen = checked_elements(100, {.elements = elements});
    CHECK(chosen.front() == 0);
    CHECK(chosen.back() < 100);
    CHECK(std::ssize(chosen) <= elements);
    CHECK(std::adjacent_find(chosen.begin(), chosen.end(), std::greater_equal<>()) == chosen.end());
  }
  CHECK(checked_elements(100, {}).size() == 100);
}

TEST_CASE("gradient check, Hessian: gradients that have arrived before stay") {
  const std::vector<Tensor> direction = {doubles({1, -1}, {2})};
  using Call = std::function<void(Met&)>;
  const std::vector<Call> calls = {
      [](Met& met) {
        expect_right(check_parameter_gradients([&] { return met.loss(); }, {met.asked.leaf()}));
      },
      [](Met& met) {
        for (const auto& [name, check] :
             check_parameters_second_order([&] { return met.loss(); }, {met.asked.leaf()})) {
          CHECK(check.ok());
        }
      },
      [&](Met& met) {
        const std::vector<Tensor> product =
            hessian_vector_product([&] { return met.loss(); }, {met.asked.leaf()}, direction);
        CHECK(product[0].values<double>() == Values{6, 48});  // 12 x^2 other v
      }};
  for (const Call& call : calls) {
    Met met;
    call(met);
    met.expect_untouched();
    const std::int64_t most = met.calls;
    for (const std::int64_t at : {std::int64_t{1}, std::int64_t{2}, std::int64_t{4}, most}) {
      if (at > most) continue;
      Met failing;
      failing.fails_at = at;
      CHECK_THROWS_WITH_AS(call(failing), "loss: it fails", Error);
      failing.expect_untouched();
    }
  }
}

TEST_CASE("gradient check: of parameters without room for gradients") {
  const Variable bare(std::make_shared<Leaf>(Leaf{"bare", doubles({1, 2}, {2}), Tensor()}));
  expect_right(check_parameter_gradients([&] { return sum(square(bare)); }, {bare.leaf()}));
  CHECK(!bare.leaf()->gradient.defined());
}
