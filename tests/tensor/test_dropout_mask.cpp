#include <doctest/doctest.h>

#include <vector>

#include "tensor/cpu/dropout_mask.h"

using namespace kette;

TEST_CASE("fill_mask writes what DropoutMask::at defines, and nothing past the row") {
  const DropoutMask mask(0.3, {0x123456789abcdefull, 0xfedcba9876543210ull});
  for (const std::int64_t width : {0, 1, 14, 127, 128, 129, 300}) {
    // The last row's blocks lie beyond 32 bits.
    for (const std::int64_t row : {std::int64_t{0}, std::int64_t{7}, std::int64_t{1} << 30}) {
      std::vector<float> factors(static_cast<std::size_t>(width) + 1, -1.0f);
      fill_mask(mask, row, width, factors.data());
      int wrong = 0;
      for (std::int64_t column = 0; column < width; ++column) {
        wrong += factors[column] != mask.at(row, column, width);
      }
      CHECK(wrong == 0);
      CHECK(factors.back() == -1.0f);
    }
  }
}

TEST_CASE("a mask drops its rate, keeps the mean, and differs between streams") {
  const std::int64_t rows = 200, width = 500;
  const DropoutMask mask(0.1, {1, 2}), other(0.1, {1, 3});
  std::vector<float> factors(width), others(width);
  double dropped = 0, sum = 0, equal = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    fill_mask(mask, row, width, factors.data());
    fill_mask(other, row, width, others.data());
    for (std::size_t j = 0; j < width; ++j) {
      dropped += factors[j] == 0;
      sum += factors[j];
      equal += factors[j] == others[j];
    }
  }
  const double count = rows * width;
  CHECK(dropped / count == doctest::Approx(0.1).epsilon(0.05).scale(0));
  CHECK(sum / count == doctest::Approx(1.0).epsilon(0.01));
  CHECK(equal / count == doctest::Approx(0.82).epsilon(0.02));  // 0.9^2 + 0.1^2
}
