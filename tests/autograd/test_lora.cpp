// What low-rank adapters are for, beside the values and gradients that the op table checks.
#include <doctest/doctest.h>

#include "autograd/gradient_check.h"
#include "autograd/ops/lora.h"

using namespace kette;

namespace {

const std::vector<Tensor> inputs =
    sample_inputs({{{5, 6}}, {{9, 6}}, {{9}}, {{4, 6}}, {{6, 2}}}, DType::f64, 1);
const std::vector<RowBlock> blocks = {{0, 3}, {6, 9}};

std::vector<double> adapted(const Tensor& b) {
  return lora_linear(inputs[0], inputs[1], inputs[2], inputs[3], b, blocks, 2)
      .value()
      .values<double>();
}

}  // namespace

TEST_CASE(
    "lora_linear: with B = 0 it is the pretrained map to the bit, and rows without an adapter stay so") {
  const auto pretrained = linear(inputs[0], inputs[1], inputs[2]).value().values<double>();
  CHECK(adapted(Tensor::zeros({6, 2}, DType::f64)) == pretrained);
  const auto moved = adapted(inputs[4]);
  for (std::size_t i = 0; i < moved.size(); ++i) {
    CHECK((moved[i] == pretrained[i]) == (i % 9 >= 3 && i % 9 < 6));
  }
}

TEST_CASE("lora_linear: gradients that nobody wants are not taken, those wanted are added") {
  ops::LoraLinear op{2, blocks};
  const Tensor y = op.forward(inputs[0], inputs[1], inputs[2], inputs[3], inputs[4]);
  const Tensor dy = Tensor::full(y.shape(), 1, DType::f64);
  GradientSlot frozen_weight, frozen_bias, dx(inputs[0]), da(inputs[3]), db(inputs[4]);
  op.backward(dy, dx, frozen_weight, frozen_bias, da, db);
  CHECK_FALSE(frozen_weight.filled());
  CHECK_FALSE(frozen_bias.filled());
  const auto once = da.peek().values<double>(), b_once = db.peek().values<double>();
  op.backward(dy, dx, frozen_weight, frozen_bias, da, db);
  const auto twice = da.peek().values<double>(), b_twice = db.peek().values<double>();
  for (std::size_t i = 0; i < once.size(); ++i) CHECK(twice[i] == doctest::Approx(2 * once[i]));
  for (std::size_t i = 0; i < b_once.size(); ++i)
    CHECK(b_twice[i] == doctest::Approx(2 * b_once[i]));
}

TEST_CASE("lora_linear: blocks and adapters that do not fit are errors") {
  const auto call = [](const std::vector<RowBlock>& rows, const Tensor& a, const Tensor& b) {
    lora_linear(inputs[0], inputs[1], inputs[2], a, b, rows, 1);
  };
  const Tensor &a = inputs[3], &b = inputs[4];
  CHECK_NOTHROW(call(blocks, a, b));
  CHECK_THROWS_AS(call({{0, 3}, {7, 10}}, a, b), Error);
  CHECK_THROWS_AS(call({{0, 3}, {6, 6}}, a, b), Error);
  CHECK_THROWS_AS(call({{0, 3}, {-3, 0}}, a, b), Error);
  CHECK_THROWS_AS(call({{0, 3}}, a, b), Error);
  CHECK_THROWS_AS(call({}, a, b), Error);
  CHECK_THROWS_AS(call(blocks, b, a), Error);
  CHECK_THROWS_AS(call(blocks, a.to(DType::f32), b), Error);
  CHECK_THROWS_AS(call(blocks, Tensor(), b), Error);
}
