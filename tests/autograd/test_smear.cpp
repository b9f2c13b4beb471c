// What smeared keys are for, beside the values and gradients that the op table checks.
#include <doctest/doctest.h>

#include "autograd/all_ops.h"
#include "autograd/gradient_check.h"
#include "tests/devices.h"

using namespace kette;

namespace {

using Positions = std::vector<std::int32_t>;

constexpr std::int64_t kGates = 2, kKeyWidth = 6;

Tensor random_rows(std::int64_t rows) {
  return sample_inputs({{{rows, 3 * kKeyWidth}}}, DType::f64, 1)[0];
}

std::vector<double> smeared(const Tensor& qkv, const std::vector<double>& gates,
                            const Positions& positions) {
  return smear(qkv, Tensor::from(gates), Tensor::from(positions)).value().values<double>();
}

}  // namespace

TEST_CASE("smear: a gate of 1 leaves the keys, a gate of 0 takes those before") {
  const Tensor qkv = random_rows(5);
  const Positions positions = {0, 1, 2, 0, 1};
  CHECK(smeared(qkv, {1, 1}, positions) == qkv.values<double>());
  const auto before = qkv.values<double>(), after = smeared(qkv, {0, 1}, positions);
  for (std::size_t i = 0; i < before.size(); ++i) {
    const std::size_t row = i / (3 * kKeyWidth), column = i % (3 * kKeyWidth);
    const bool moves =
        positions[row] > 0 && column >= kKeyWidth && column < kKeyWidth + kKeyWidth / kGates;
    CHECK(after[i] == before[moves ? i - 3 * kKeyWidth : i]);
  }
}

TEST_CASE("smear: texts of a batch do not touch, forwards or backwards") {
  const Tensor qkv = random_rows(7), gates = Tensor::from(std::vector<double>{0.3, 0.8});
  const auto run = [&](const Tensor& x, const Positions& positions) {
    Tape tape;
    const Variable in = tape.watch(x);
    const Variable y = smear(in, gates, Tensor::from(positions));
    tape.backward(y, x);
    return std::pair(y.value(), tape.gradient(in));
  };
  const auto both = run(qkv, {0, 1, 2, 0, 1, 2, 3}), first = run(qkv.slice(0, 3), {0, 1, 2}),
             second = run(qkv.slice(3, 7), {0, 1, 2, 3});
  CHECK(both.first.slice(0, 3).values<double>() == first.first.values<double>());
  CHECK(both.first.slice(3, 7).values<double>() == second.first.values<double>());
  CHECK(both.second.slice(0, 3).values<double>() == first.second.values<double>());
  CHECK(both.second.slice(3, 7).values<double>() == second.second.values<double>());
}

TEST_CASE("smear: input that does not fit is an error") {
  const Tensor qkv = random_rows(2), gates = Tensor::zeros({kGates}, DType::f64);
  const Tensor positions = Tensor::from(Positions{0, 1});
  CHECK_NOTHROW(smear(qkv, gates, positions));
  CHECK_THROWS_WITH_AS(smear(qkv, gates.to(DType::f32), positions),
                       doctest::Contains("smear: expected a gate of f64 for each head"), Error);
  CHECK_THROWS_AS(smear(qkv, Tensor::zeros({4}, DType::f64), positions), Error);
  CHECK_THROWS_AS(smear(qkv, Tensor(), positions), Error);
  CHECK_THROWS_WITH_AS(smear(qkv, gates, Tensor::from(Positions{0})),
                       doctest::Contains("smear: expected i32 positions of 2 rows"), Error);
  CHECK_THROWS_AS(smear(qkv, gates, Tensor::zeros({2}, DType::f64)), Error);
  // There is no key before the first row.
  CHECK_THROWS_WITH_AS(smear(qkv, gates, Tensor::from(Positions{1, 2})),
                       doctest::Contains("smear: expected the first row at position 0, given 1"),
                       Error);
}
