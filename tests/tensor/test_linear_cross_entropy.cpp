#include <doctest/doctest.h>
#include <omp.h>

#include <cmath>
#include <optional>
#include <vector>

#include "tests/devices.h"
#include "tests/gap.h"
#include "tests/random_tensor.h"
#include "tests/reference.h"

using namespace kette;

namespace {

/// Arguments with gradients; dweight and dbias start at something, for they are added to.
LinearCrossEntropyArgs arguments(std::int64_t rows, std::int64_t width, std::int64_t vocabulary,
                                 DType dtype, bool with_bias = true) {
  Random numbers(9);
  std::vector<std::int32_t> targets(static_cast<std::size_t>(rows));
  for (auto& target : targets) target = static_cast<std::int32_t>(numbers.below(vocabulary));
  LinearCrossEntropyArgs args;
  args.x = random({rows, width}, 1).to(dtype);
  args.weight = random({vocabulary, width}, 2).to(dtype);
  args.targets = Tensor::from(targets);
  args.smoothing = 0.1;
  args.gradient_scale = 0.5;
  args.dx = Tensor::full({rows, width}, std::nan(""), dtype);
  args.dweight = Tensor::full({vocabulary, width}, 0.25, compute_dtype(dtype));
  if (with_bias) {
    args.bias = random({vocabulary}, 3).to(dtype);
    args.dbias = Tensor::full({vocabulary}, -0.5, compute_dtype(dtype));
  }
  return args;
}

/// A copy on another device.
LinearCrossEntropyArgs moved(LinearCrossEntropyArgs args, Device device) {
  for (Tensor* tensor :
       {&args.x, &args.weight, &args.bias, &args.targets, &args.dx, &args.dweight, &args.dbias}) {
    if (tensor->defined()) *tensor = tensor->clone().to(device);
  }
  return args;
}

LinearCrossEntropyArgs in_f64(LinearCrossEntropyArgs args) {
  for (Tensor* tensor : {&args.x, &args.weight, &args.bias, &args.dx, &args.dweight, &args.dbias}) {
    if (tensor->defined()) *tensor = tensor->to(DType::f64).clone();
  }
  return args;
}

CrossEntropySums run(LinearCrossEntropyArgs args) {
  args.sums = CrossEntropySums::zeros(args.x.device());
  on(args.x.device(), [&](auto exec) { kernels::linear_cross_entropy(exec, args); });
  return CrossEntropySums::of(args.sums);
}

void check_close(const Tensor& a, const Tensor& b, double tolerance) {
  CHECK(largest_gap(a, b) <= tolerance);
}

/// On every device, with and without gradients.
void check_against_reference(const LinearCrossEntropyArgs& given) {
  const DType dtype = given.x.dtype();
  // Divergences weigh more than the cross entropy, and so do the roundings of their gradients.
  const double weight = given.views ? 1 + given.views->forward + given.views->reverse : 1;
  const double tolerance = weight * (dtype == DType::f64   ? 1e-12
                                     : dtype == DType::f32 ? 1e-5
                                                           : 1e-2);
  const LinearCrossEntropyArgs expected = in_f64(given);
  const CrossEntropySums sums = reference::linear_cross_entropy(expected);
  for (const Device device : test_devices()) {
    if (given.x.rows() > 100 && device.kind != DeviceKind::cpu) continue;
    CAPTURE(device.str());
    const LinearCrossEntropyArgs args = moved(given, device);
    const CrossEntropySums got = run(args);
    // A GPU's logits are bf16 as well: their roundings make ties.
    const bool coarse = dtype == DType::bf16 && device.kind != DeviceKind::cpu;
    const double epsilon = coarse ? 1e-3 : 1e-5;
    CHECK(got.loss == doctest::Approx(sums.loss).epsilon(epsilon));
    CHECK(got.negative_log_likelihood ==
          doctest::Approx(sums.negative_log_likelihood).epsilon(epsilon));
    CHECK(std::abs(got.correct - sums.correct) <= (coarse ? 1 : 0));
    check_close(args.dx, expected.dx, tolerance);
    check_close(args.dweight, expected.dweight, tolerance);
    if (args.dbias.defined()) check_close(args.dbias, expected.dbias, tolerance);
    LinearCrossEntropyArgs without = args;
    without.dx = without.dweight = without.dbias = Tensor();
    CHECK(run(without).loss == doctest::Approx(got.loss));
  }
}

}  // namespace

TEST_CASE("linear cross entropy equals the reference: sums and gradients") {
  for (const DType dtype : {DType::f64, DType::f32, DType::bf16}) {
    for (const bool with_bias : {false, true}) {
      // 520 rows of 8200 entries take two chunks on the CPU, and a GPU's emulator too long.
      for (const auto& sizes :
           {std::array<std::int64_t, 3>{1, 3, 2}, {37, 20, 101}, {3, 2, 8203}, {520, 2, 8200}}) {
        CAPTURE(sizes[2]);
        const auto [rows, width, vocabulary] = sizes;
        check_against_reference(arguments(rows, width, vocabulary, dtype, with_bias));
      }
    }
  }
}

TEST_CASE("linear cross entropy of two views equals the reference, R-Drop's and SimCut's") {
  for (const DType dtype : {DType::f64, DType::f32, DType::bf16}) {
    for (const TwoViews& views : {TwoViews{.forward = 2.5, .reverse = 2.5, .second = 1},
                                  TwoViews{.forward = 3, .reverse = 0, .second = 0}}) {
      CAPTURE(views.second);
      // 600 rows take two chunks on the CPU.
      for (const auto& sizes :
           {std::array<std::int64_t, 3>{2, 3, 2}, {38, 20, 101}, {4, 2, 8203}, {600, 2, 8200}}) {
        CAPTURE(sizes[2]);
        const auto [rows, width, vocabulary] = sizes;
        LinearCrossEntropyArgs given = arguments(rows, width, vocabulary, dtype);
        given.targets.slice(rows / 2, rows).copy_from(given.targets.slice(0, rows / 2));
        given.views = views;
        check_against_reference(given);
      }
    }
  }
}

TEST_CASE("linear cross entropy of two views that agree is that of each") {
  LinearCrossEntropyArgs one = arguments(3, 4, 9, DType::f64), two = arguments(6, 4, 9, DType::f64);
  for (const std::int64_t begin : {0, 3}) {
    two.x.slice(begin, begin + 3).copy_from(one.x);
    two.targets.slice(begin, begin + 3).copy_from(one.targets);
  }
  two.views = TwoViews{.forward = 3, .reverse = 5, .second = 1};
  const CrossEntropySums of_one = run(one), of_two = run(two);
  CHECK(of_two.loss == doctest::Approx(2 * of_one.loss).epsilon(1e-12));
  CHECK(of_two.negative_log_likelihood == doctest::Approx(of_one.negative_log_likelihood));
  CHECK(of_two.correct == of_one.correct);
  check_close(two.dx.slice(3, 6), one.dx, 1e-12);
  two.x = two.x.slice(0, 5);
  two.targets = two.targets.slice(0, 5);
  two.dx = two.dx.slice(0, 5);
  CHECK_THROWS_WITH(
      run(two),
      "linear_cross_entropy: expected an even number of rows, two for each token, given 5");
}

TEST_CASE("linear cross entropy in chunks, of a vocabulary that fills a GPU's after 16 rows") {
  for (const Device device : test_devices()) {
    if (device.kind == DeviceKind::cpu) continue;
    const LinearCrossEntropyArgs given = arguments(17, 1, (1 << 20) - 5, DType::f64, false);
    const LinearCrossEntropyArgs expected = in_f64(given);
    const CrossEntropySums sums = reference::linear_cross_entropy(expected);
    const LinearCrossEntropyArgs args = moved(given, device);
    const CrossEntropySums got = run(args);
    CHECK(got.loss == doctest::Approx(sums.loss).epsilon(1e-12));
    CHECK(got.correct == sums.correct);
    check_close(args.dx, expected.dx, 1e-9);
    check_close(args.dweight, expected.dweight, 1e-12);
  }
}

TEST_CASE("linear cross entropy: gradients are the loss's slopes") {
  const LinearCrossEntropyArgs args = arguments(5, 4, 9, DType::f64);
  args.dweight.zero();
  args.dbias.zero();
  run(args);
  LinearCrossEntropyArgs loss_only = args;
  loss_only.dx = Tensor();
  for (const auto& [value, gradient] :
       {std::pair{args.x, args.dx}, {args.weight, args.dweight}, {args.bias, args.dbias}}) {
    for (std::int64_t i = 0; i < value.elements(); ++i) {
      double& element = value.data<double>()[i];
      const double kept = element, h = 1e-5;
      element = kept + h;
      const double up = run(loss_only).loss;
      element = kept - h;
      const double down = run(loss_only).loss;
      element = kept;
      CHECK(gradient.data<double>()[i] ==
            doctest::Approx(0.5 * (up - down) / (2 * h)).epsilon(1e-6));
    }
  }
}

TEST_CASE("linear cross entropy counts the first of equal entries, and takes no rows at all") {
  for (const Device device : test_devices()) {
    LinearCrossEntropyArgs args;
    args.x = Tensor::zeros({2, 3}, DType::f32, device);
    args.weight = Tensor::zeros({4, 3}, DType::f32, device);
    args.targets = Tensor::from(std::vector<std::int32_t>{0, 1}, device);
    const CrossEntropySums sums = run(args);
    CHECK(sums.correct == 1);
    CHECK(sums.loss == doctest::Approx(2 * std::log(4.0)));
    args.x = Tensor::zeros({0, 3}, DType::f32, device);
    args.targets = Tensor::from(std::vector<std::int32_t>{}, device);
    CHECK(run(args).loss == 0);
  }
}

TEST_CASE(
    "linear cross entropy: a logit of minus infinity is a word less, in one view and in two") {
  for (const Device device : test_devices()) {
    CAPTURE(device.str());
    const double word = 1 / 3.0;  // the share of each of the others
    LinearCrossEntropyArgs args;
    args.x = Tensor::zeros({4, 3}, DType::f32, device);
    args.weight = Tensor::zeros({4, 3}, DType::f32, device);
    args.bias = Tensor::from(std::vector<float>{0, -INFINITY, 0, 0}, device);
    args.targets = Tensor::from(std::vector<std::int32_t>{0, 2, 0, 2}, device);
    for (const bool has_views : {false, true}) {
      CAPTURE(has_views);
      args.views = has_views ? std::optional(TwoViews{.forward = 2, .reverse = 3}) : std::nullopt;
      args.dx = Tensor::empty({4, 3}, DType::f32, device);
      args.dbias = Tensor::zeros({4}, DType::f32, device);
      CHECK(run(args).loss == doctest::Approx(-4 * std::log(word)));
      const std::vector<double> dbias = args.dbias.values<double>();
      const std::vector<double> expected{4 * word - 2, 0, 4 * word - 2, 4 * word};
      for (std::size_t v = 0; v < 4; ++v) {
        CHECK(dbias[v] == doctest::Approx(expected[v]).epsilon(1e-5));
      }
      args.dx = args.dbias = Tensor();
      CHECK(run(args).loss == doctest::Approx(-4 * std::log(word)));
    }
  }
}

TEST_CASE("linear cross entropy has the same bits for any number of threads") {
  const int threads = omp_get_max_threads();
  std::vector<std::vector<float>> results;
  for (const int count : {1, 2, 3}) {
    omp_set_num_threads(count);
    const LinearCrossEntropyArgs args = arguments(130, 40, 1000, DType::f32);
    const CrossEntropySums sums = run(args);
    results.push_back(args.dx.values<float>());
    for (const Tensor& more : {args.dweight, args.dbias}) {
      const auto values = more.values<float>();
      results.back().insert(results.back().end(), values.begin(), values.end());
    }
    results.back().push_back(static_cast<float>(sums.loss));
  }
  omp_set_num_threads(threads);
  CHECK(results[0] == results[1]);
  CHECK(results[0] == results[2]);
}

TEST_CASE("linear cross entropy names wrong targets, widths and types") {
  const LinearCrossEntropyArgs right = arguments(6, 4, 9, DType::f32);
  for (const Device device : test_devices()) {
    LinearCrossEntropyArgs args = moved(right, device);
    args.weight = random({9, 5}, 1).to(DType::f32).to(device);
    CHECK_THROWS_WITH_AS(run(args), doctest::Contains("given [6, 4] and [9, 5]"), Error);
    args = moved(right, device);
    args.bias = args.bias.to(DType::f64);
    CHECK_THROWS_WITH_AS(run(args), doctest::Contains("expected all of type f32, given f64"),
                         Error);
    args = moved(right, device);
    for (const double smoothing : {-0.1, 7.0, std::nan("")}) {
      args.smoothing = smoothing;
      CHECK_THROWS_WITH_AS(run(args), doctest::Contains("expected a smoothing of 0 to 1"), Error);
    }
    args = moved(right, device);
    args.x = args.x.reshaped({2, 3, 4});
    CHECK_THROWS_WITH_AS(run(args), doctest::Contains("given [2, 3, 4] and [9, 4]"), Error);
    if (!device.is_host()) {
      args = moved(right, device);
      args.targets = right.targets;
      CHECK_THROWS_WITH_AS(run(args), doctest::Contains("expected all on cuda:0"), Error);
    }
  }
  LinearCrossEntropyArgs two = arguments(6, 4, 9, DType::f32);
  two.views = TwoViews{};
  two.targets = Tensor::from(std::vector<std::int32_t>{1, 2, 3, 1, 5, 3});
  CHECK_THROWS_WITH_AS(run(two),
                       "linear_cross_entropy: expected the same target for both views of a token, "
                       "given 2 in row 1 and 5 in row 4",
                       Error);
  right.targets.data<std::int32_t>()[3] = 9;
  for (const Device device : test_devices()) {
    const LinearCrossEntropyArgs args = moved(right, device);
    if (device.kind == DeviceKind::cpu) {
      CHECK_THROWS_WITH_AS(
          run(args), "linear_cross_entropy: expected targets of 0 to 8, given 9 in row 3", Error);
    } else {  // which is not waited for, and cannot say it
      CHECK(std::isnan(run(args).loss));
      CHECK(std::isnan(args.dweight.values<double>()[0]));
    }
  }
}
