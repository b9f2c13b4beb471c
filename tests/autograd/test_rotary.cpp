// What rotary positions are for, beside the values and gradients that the op table checks.
#include <doctest/doctest.h>

#include <cmath>

#include "autograd/gradient_check.h"
#include "autograd/ops/rotary.h"

using namespace kette;

namespace {

constexpr std::int64_t kWidth = 6;

/// One token with one head: query, key and value, turned as at a position.
std::vector<double> turned(const Tensor& qkv, std::int32_t position) {
  return rotary(qkv, Tensor::from(std::vector<std::int32_t>{position}),
                rotary_table(600, kWidth, 10000, DType::f64), 2 * kWidth)
      .value()
      .values<double>();
}

}  // namespace

TEST_CASE("rotary: a query's product with a key depends on their distance alone") {
  const Tensor qkv = sample_inputs({{{1, 3 * kWidth}}}, DType::f64, 1)[0];
  const auto product = [&](std::int32_t query, std::int32_t key) {
    const auto q = turned(qkv, query), k = turned(qkv, key);
    double total = 0;
    for (std::size_t i = 0; i < kWidth; ++i) total += q[i] * k[kWidth + i];
    return total;
  };
  CHECK(product(3, 1) == doctest::Approx(product(599, 597)).epsilon(1e-12));
  CHECK(product(0, 40) == doctest::Approx(product(500, 540)).epsilon(1e-12));
  CHECK(std::abs(product(3, 1) - product(3, 2)) > 1e-3);
  CHECK(turned(qkv, 0) == qkv.values<double>());
}

TEST_CASE("rotary: the table is exact to its type far out, and bf16 has it in f32") {
  const Tensor table = rotary_table(5000, 4, 10000, DType::bf16);
  CHECK(table.dtype() == DType::f32);
  const auto values = table.values<double>();
  for (const int position : {0, 1, 4999}) {
    const double angles[] = {1.0 * position, position / 100.0};
    for (int i = 0; i < 2; ++i) {
      const auto at = static_cast<std::size_t>(4 * position + i);
      CHECK(std::abs(values[at] - std::cos(angles[i])) < 1e-7);
      CHECK(std::abs(values[at + 2] - std::sin(angles[i])) < 1e-7);
    }
  }
}

TEST_CASE("rotary: input that does not fit is an error") {
  CHECK_THROWS_WITH_AS(rotary_table(std::int64_t{1} << 61, 8),
                       doctest::Contains("more elements than 63 bits count"), Error);
  const Tensor qkv = Tensor::zeros({2, 24}), table = rotary_table(8, 4);
  const auto positions = [](std::int32_t last) {
    return Tensor::from(std::vector<std::int32_t>{0, last});
  };
  CHECK_NOTHROW(rotary(qkv, positions(7), table, 16));
  CHECK_THROWS_AS(rotary(qkv, positions(8), table, 16), Error);
  CHECK_THROWS_AS(rotary(qkv, positions(-1), table, 16), Error);
  CHECK_THROWS_AS(rotary(qkv, Tensor::from(std::vector<std::int32_t>{0}), table, 16), Error);
  CHECK_THROWS_AS(rotary(qkv, positions(1), rotary_table(8, 10), 16), Error);
  CHECK_THROWS_AS(rotary(qkv.to(DType::f64), positions(1), table, 16), Error);
  CHECK_THROWS_AS(rotary(qkv, positions(1), Tensor(), 16), Error);
  for (const std::int64_t turned_columns : {-4, 6, 28}) {
    CHECK_THROWS_AS(rotary(qkv, positions(1), table, turned_columns), Error);
  }
  CHECK_THROWS_AS(rotary_table(8, 3), Error);
}
