// Sums over many rows are taken in f32, also of bf16 rows: rounded at each addition, a sum of equal
// terms stands still after 256 of them.
#include <doctest/doctest.h>

#include <cmath>

#include "autograd/ops/elementwise.h"
#include "autograd/ops/embedding.h"
#include "autograd/ops/feed_forward.h"
#include "autograd/ops/layer_norm.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reduce.h"
#include "autograd/tape.h"
#include "nn/param_store.h"
#include "tests/devices.h"
#include "tests/gap.h"
#include "tests/random_tensor.h"

using namespace kette;

namespace {

constexpr std::int64_t kRows = 4096;

/// The entries of a tensor furthest from `expected`, relative to it.
double worst(const Tensor& tensor, double expected) {
  double gap = 0;
  for (const double value : tensor.values<double>()) {
    const double here = std::abs(value - expected) / std::abs(expected);
    gap = larger_gap(gap, here);
  }
  return gap;
}

Tensor ones(Shape shape, Device device) { return Tensor::full(shape, 1, DType::bf16, device); }

}  // namespace

TEST_CASE("4,096 equal bf16 rows add up to 4,096 times the row") {
  for (const Device device : test_devices()) {
    CAPTURE(device.str());
    const std::int64_t width = 24;
    Tape tape;
    SUBCASE("into an entry of a table") {
      const Variable table = parameter(ones({3, width}, device));
      const Tensor ids = Tensor::from(std::vector<std::int32_t>(kRows, 1));
      tape.backward(embedding(table, ids), ones({kRows, width}, device));
      CHECK(table.leaf()->gradient.dtype() == DType::f32);
      CHECK(worst(table.leaf()->gradient.slice(1, 2), kRows) < 1e-6);
      CHECK(table.leaf()->gradient.slice(0, 1).values<float>().front() == 0);
    }
    SUBCASE("into weight and bias of a linear map") {
      const Variable weight = parameter(ones({5, width}, device));
      const Variable bias = parameter(ones({5}, device));
      tape.backward(linear(Variable(ones({kRows, width}, device)), weight, bias),
                    ones({kRows, 5}, device));
      CHECK(worst(weight.leaf()->gradient, kRows) < 1e-6);
      CHECK(worst(bias.leaf()->gradient, kRows) < 1e-6);
    }
    SUBCASE("into the bias of a norm") {
      const Variable gain = parameter(ones({width}, device));
      const Variable bias = parameter(ones({width}, device));
      tape.backward(layer_norm(Variable(ones({kRows, width}, device)), gain, bias),
                    ones({kRows, width}, device));
      CHECK(worst(bias.leaf()->gradient, kRows) < 1e-6);
    }
    SUBCASE("also where the table is no leaf: the sum is rounded once") {
      const Variable table = tape.watch(ones({3, width}, device));
      const Tensor ids = Tensor::from(std::vector<std::int32_t>(kRows, 1));
      tape.backward(embedding(table, ids), ones({kRows, width}, device));
      CHECK(tape.gradient(table).dtype() == DType::bf16);
      CHECK(worst(tape.gradient(table).slice(1, 2), kRows) == 0);
    }
  }
}

TEST_CASE("a row op applied to a bf16 leaf itself adds to its f32 gradient") {
  for (const Device device : test_devices()) {
    CAPTURE(device.str());
    const Variable x = parameter(random({3, 8}, 1).to(DType::bf16).to(device), "x");
    const Variable gain = parameter(ones({8}, device)), bias = parameter(ones({8}, device));
    const Tensor dy = random({3, 8}, 2).to(DType::bf16).to(device);
    const auto backward = [&] {
      Tape tape;
      tape.backward(layer_norm(x, gain, bias), dy);
    };
    backward();
    const auto once = x.leaf()->gradient.values<double>();
    backward();
    const auto twice = x.leaf()->gradient.values<double>();
    for (std::size_t i = 0; i < once.size(); ++i) {
      CHECK(twice[i] == doctest::Approx(2 * once[i]));
    }
    CHECK(std::abs(once[0]) > 1e-3);
  }
}

TEST_CASE("occurrences: the rows of each entry in order, frequent entries in pieces") {
  std::vector<std::int32_t> ids(150, 2);
  ids[0] = 4;
  ids[149] = 0;
  const Occurrences occurrences(Tensor::from(ids), 5);
  REQUIRE(occurrences.pieces().size() == 5);  // entry 0; entry 2 in three pieces; entry 4
  CHECK(occurrences.rows().front() == 149);
  CHECK(occurrences.rows().back() == 0);
  CHECK(occurrences.partial_sums() == 3);
  REQUIRE(occurrences.frequent().size() == 1);
  CHECK(occurrences.frequent()[0].entry == 2);
  for (std::size_t i = 1; i < 148; ++i) {
    CHECK(occurrences.rows()[i] == static_cast<std::int32_t>(i));
  }
  const Occurrences none(Tensor::from(std::vector<std::int32_t>{}), 5);
  CHECK(none.pieces().empty());
  CHECK(none.partial_sums() == 0);
}

TEST_CASE("occurrences: an id that the table lacks is an error, wherever the ids are") {
  for (const Device device : test_devices()) {
    const Tensor ids = Tensor::from(std::vector<std::int32_t>{-1, 4, 5}, device);
    CHECK_THROWS_WITH_AS(Occurrences(ids, 5), "lookup: expected ids in 0 .. 4, given 5 in row 2",
                         Error);
  }
}

TEST_CASE("the bf16 gradient of a broadcast reaches an f32 leaf without being rounded") {
  for (const Device device : test_devices()) {
    CAPTURE(device.str());
    // Neither 257 nor 5 times that is a bf16; rows and columns are two sums, one after the other.
    const Variable x = parameter(ones({4, 1}, device));
    Tape tape;
    tape.backward(Variable(ones({5, 4, 257}, device)) + x, ones({5, 4, 257}, device));
    CHECK(x.leaf()->gradient.values<double>() == std::vector<double>(4, 5 * 257));
  }
}

TEST_CASE("scatter_add equals plain loops, for widths in and out of step with packs") {
  for (const Device device : test_devices()) {
    for (const DType dtype : {DType::f64, DType::f32, DType::bf16}) {
      for (const std::int64_t width : {1, 7, 8, 40, 520}) {
        CAPTURE(width);
        Random numbers(3);
        std::vector<std::int32_t> ids(200);
        for (auto& id : ids) {  // half of them one entry
          id = numbers.uniform() < 0.5 ? 3 : static_cast<std::int32_t>(numbers.below(9));
        }
        const Tensor dy = random({200, width}, 4).to(dtype);
        std::vector<double> expected(static_cast<std::size_t>(9 * width), 0.25);
        const auto upstream = dy.values<double>();
        for (std::size_t row = 0; row < ids.size(); ++row) {
          for (std::int64_t j = 0; j < width; ++j) {
            expected[ids[row] * width + j] += 0.5 * upstream[row * width + j];
          }
        }
        const Tensor table = Tensor::full({9, width}, 0.25, compute_dtype(dtype), device);
        on(device, [&](auto exec) {
          kernels::scatter_add(exec, dy.to(device), Occurrences(Tensor::from(ids), 9), table, 0.5);
        });
        CHECK(largest_gap(table.values<double>(), expected) < (dtype == DType::f64 ? 1e-12 : 1e-4));
      }
    }
  }
}

TEST_CASE("the mean of ones is 1, and each has the nth part of its gradient") {
  for (const Device device : test_devices()) {
    CAPTURE(device.str());
    for (const DType dtype : {DType::f32, DType::f64}) {
      CAPTURE(name_of(dtype));
      for (std::int64_t n = 1; n <= 200; ++n) {
        CAPTURE(n);
        Tape tape;
        const Variable x = tape.watch(Tensor::full({2, n}, 1, dtype, device));
        const Variable of_rows = mean_last(x);
        CHECK(of_rows.value().values<double>() == std::vector<double>{1, 1});
        CHECK(mean(x).value().item() == 1);
        tape.backward(sum(of_rows));
        const double part = dtype == DType::f32 ? double(1 / float(n)) : 1 / double(n);
        CHECK(tape.gradient(x).values<double>() ==
              std::vector<double>(static_cast<std::size_t>(2 * n), part));
      }
    }
  }
}

TEST_CASE("gradients that were cleared are added to by one op and then by another") {
  for (const Device device : test_devices()) {
    CAPTURE(device.str());
    ParamStore store;
    const Variable weight = Scope(store).parameter("weight", {6, 8}, Init::normal(1));
    store.materialize(1, DType::f32, device);
    const Tensor x = random({40, 8}, 1).to(DType::f32).to(device);
    const auto gradient_of = [&](double factor) {
      store.clear_gradients();
      Tape tape;
      // Backwards the square comes first, and then the product.
      const Variable product = sum(linear(x, weight, Variable()));
      tape.backward(product + affine(sum(square(weight)), factor));
      return store.gradients().values<float>();
    };
    const auto without = gradient_of(0), with = gradient_of(3);
    const auto values = weight.value().values<float>();
    for (std::size_t i = 0; i < values.size(); ++i) {
      CHECK(with[i] == doctest::Approx(without[i] + 6 * values[i]));
    }
  }
}

TEST_CASE("gradients that were cleared are written, then added to") {
  for (const DType dtype : {DType::f32, DType::bf16}) {
    for (const Device device : test_devices()) {
      CAPTURE(device.str());
      CAPTURE(std::string(name_of(dtype)));
      ParamStore store;
      const Variable weight = Scope(store).parameter("weight", {8, 8}, Init::normal(1));
      const Variable bias = Scope(store).parameter("bias", {8}, Init::constant(0));
      const Variable outer = Scope(store).parameter("outer", {8, 8}, Init::normal(1));
      const Variable outer_bias = Scope(store).parameter("outer_bias", {8}, Init::constant(0));
      store.materialize(1, dtype, device);
      const Tensor x = random({40, 8}, 1).to(dtype).to(device);
      const Tensor dy = random({40, 8}, 2).to(dtype).to(device);
      const auto backward = [&] {
        for (const bool both_maps : {false, true}) {
          Tape tape;
          tape.backward(both_maps
                            ? feed_forward(x, weight, bias, outer, outer_bias, Activation::gelu)
                            : linear(x, weight, bias),
                        dy);
        }
        return store.gradients().values<float>();
      };
      store.gradients().copy_from(Tensor::full(store.gradients().shape(), 5).to(device));
      store.clear_gradients();
      const auto once = backward(), twice = backward();
      store.clear_gradients();
      CHECK(backward() == once);
      double largest = 0;
      for (std::size_t i = 0; i < once.size(); ++i) {
        CHECK(twice[i] == doctest::Approx(2 * once[i]));
        largest = std::max<double>(largest, std::abs(once[i]));
      }
      CHECK(largest > 1);
    }
  }
}
