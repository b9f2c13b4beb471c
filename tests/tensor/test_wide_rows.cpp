// Rows as wide as real models have them, of which a thread of a GPU takes several packs, or a whole block one row:
// forward and backward beside the plain formulas in f64.
#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "autograd/ops/elementwise.h"
#include "autograd/ops/layer_norm.h"
#include "autograd/ops/reduce.h"
#include "autograd/ops/rms_norm.h"
#include "autograd/ops/softmax.h"
#include "autograd/tape.h"
#include "tests/devices.h"
#include "tests/gap.h"
#include "tests/random_tensor.h"

using namespace kette;

namespace {

using Function =
    std::function<Variable(const Variable& x, const Variable& gain, const Variable& bias)>;

/// The result and the gradients of x, gain and bias, in dtype, of numbers that `rounded` holds.
std::vector<std::vector<double>> run(const Function& function, std::int64_t width, DType rounded,
                                     DType dtype, Device device) {
  Tape tape;
  const auto numbers = [&](const Shape& shape, std::uint64_t seed) {
    return random(shape, seed).to(rounded).to(dtype).to(device);
  };
  const auto input = [&](const Shape& shape, std::uint64_t seed) {
    return tape.watch(numbers(shape, seed));
  };
  const Variable x = input({5, width}, 1), gain = input({width}, 2), bias = input({width}, 3);
  const Variable y = function(x, gain, bias);
  tape.backward(y, numbers(y.shape(), 4));
  std::vector<std::vector<double>> results = {y.value().values<double>()};
  for (const Variable& one : {x, gain, bias}) {
    if (const Tensor gradient = tape.gradient(one); gradient.defined()) {
      results.push_back(gradient.values<double>());
    }
  }
  return results;
}

/// In f32 and bf16.
void check_like_f64(const Function& function, std::int64_t width, DType dtype = DType::f32) {
  if (dtype == DType::f32) check_like_f64(function, width, DType::bf16);
  const double tolerance = dtype == DType::f32 ? 1e-5 : 2e-2;
  CAPTURE(width);
  CAPTURE(name_of(dtype));
  const auto expected = run(function, width, dtype, DType::f64, {});
  for (const Device device : test_devices()) {
    CAPTURE(device.str());
    const auto given = run(function, width, dtype, dtype, device);
    REQUIRE(given.size() == expected.size());
    for (std::size_t i = 0; i < given.size(); ++i) {
      CAPTURE(i);
      double largest = 0;
      for (const double value : expected[i]) largest = std::max(largest, std::abs(value));
      CHECK(largest_gap(given[i], expected[i]) < tolerance * largest);
    }
  }
}

}  // namespace

TEST_CASE("wide rows: norms and their gradients, on every device") {
  for (const std::int64_t width : {264, 520, 1032, 2056, 4104}) {
    check_like_f64([](const Variable& x, const Variable& gain,
                      const Variable& bias) { return layer_norm(x, gain, bias); },
                   width);
    check_like_f64(
        [](const Variable& x, const Variable& gain, const Variable&) { return rms_norm(x, gain); },
        width);
  }
}

TEST_CASE("wide rows: softmax and its logarithm, on every device") {
  for (const std::int64_t width : {1032, 4100}) {
    check_like_f64([](const Variable& x, const Variable&, const Variable&) { return softmax(x); },
                   width);
    check_like_f64(
        [](const Variable& x, const Variable&, const Variable&) { return log_softmax(x); }, width);
  }
}

TEST_CASE("the logarithm of a softmax keeps its digits however large the numbers are") {
  for (const Device device : test_devices()) {
    CAPTURE(device.str());
    const Tensor x = Tensor::from(std::vector<float>{1e6f, 1e6f, 1000, 1003}, {2, 2}).to(device);
    CHECK(largest_gap(log_softmax(x).value().values<double>(),
                      std::vector<double>{-0.69314718, -0.69314718, -3.04858735, -0.04858735}) <
          1e-6);
  }
}

TEST_CASE("max: the first of equals, in rows of more than a warp's lanes, on every device") {
  for (const Device device : test_devices()) {
    CAPTURE(device.str());
    std::vector<float> values(3 * 100, -2.0f);
    for (const std::size_t place : {70, 99, 131, 163, 200}) values[place] = 5;
    values[100] = -INFINITY;
    const Tensor x = Tensor::from(values, {3, 100}).to(device);
    Tape tape;
    const Variable watched = tape.watch(x);
    const Variable y = max_last(watched);
    CHECK(y.value().values<float>() == std::vector<float>{5, 5, 5});
    tape.backward(sum(y));
    const std::vector<float> gradient = tape.gradient(watched).values<float>();
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      CAPTURE(i);
      CHECK(gradient[i] == (i == 70 || i == 131 || i == 200 ? 1 : 0));
    }
  }
}
