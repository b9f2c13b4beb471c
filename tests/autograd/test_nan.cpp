// A NaN that an op turned into a number would hide where it came from.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "autograd/anomaly.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reduce.h"
#include "autograd/tape.h"
#include "tests/devices.h"
#include "tests/support.h"

using namespace kette;

namespace {

constexpr std::int64_t kNanRows = 4, kNanWidth = 35;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Rows of 0, 1, 2 ... with NaNs in whole vectors and past the last one.
Tensor rows_with_nans(DType dtype, Device device) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < kNanRows * kNanWidth; ++i)
    values.push_back(static_cast<double>(i % kNanWidth));
  for (const std::int64_t at : {3, 1 * 35 + 34, 3 * 35 + 2, 3 * 35 + 33}) values[at] = kNan;
  return Tensor::from(values, {kNanRows, kNanWidth}).to(dtype).to(device);
}

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); });
}

template <class Check>
void on_every_device_and_dtype(const Check& check) {
  for (const Device device : test_devices()) {
    for (const DType dtype : {DType::f64, DType::f32, DType::bf16}) {
      CAPTURE(device.str());
      CAPTURE(std::string(name_of(dtype)));
      check(device, dtype);
    }
  }
}

}  // namespace

TEST_CASE("a NaN passes relu and maximum, and a gradient passes back to it") {
  on_every_device_and_dtype([](Device device, DType dtype) {
    const Tensor values = rows_with_nans(dtype, device), zero = Tensor::zeros({}, dtype, device);
    const auto expected = values.values<double>();
    const auto check = [&](const auto& function) {
      Tape tape;
      const Variable x = tape.watch(values), y = function(x);
      CHECK(same(y.value().values<double>(), expected));
      tape.backward(y, Tensor::full(y.shape(), 1, dtype, device));
      CHECK(tape.gradient(x).values<double>()[3] == 1);
    };
    check([](const Variable& x) { return relu(x); });
    check([&](const Variable& x) { return maximum(x, zero); });
    check([&](const Variable& x) { return maximum(zero, x); });
  });
}

TEST_CASE("a NaN is the largest of its row, and the first of several gets the gradient") {
  on_every_device_and_dtype([](Device device, DType dtype) {
    Tape tape;
    const Variable x = tape.watch(rows_with_nans(dtype, device)), y = max_last(x);
    CHECK(same(y.value().values<double>(), {kNan, kNan, 34, kNan}));
    tape.backward(y, Tensor::full(y.shape(), 1, dtype, device));
    std::vector<double> expected(kNanRows * kNanWidth);
    for (const std::int64_t at : {3, 1 * 35 + 34, 2 * 35 + 34, 3 * 35 + 2}) expected[at] = 1;
    CHECK(tape.gradient(x).values<double>() == expected);
  });
}

TEST_CASE("anomaly detection names the linear map before whose relu a NaN came about") {
  const AnomalyDetection on;
  on_every_device_and_dtype([](Device device, DType dtype) {
    const Tensor x = Tensor::full({3, 40}, 1, dtype, device);
    std::vector<double> weights(std::size_t{37 * 40}, 1.0);
    weights.back() = kNan;
    const Tensor weight = Tensor::from(weights, {37, 40}).to(dtype).to(device);
    const std::string message =
        testing::message_of([&] { linear(x, weight, Variable(), Activation::relu); });
    CHECK(message.starts_with("linear: expected finite values, given nan at [0, 36]"));
  });
}
