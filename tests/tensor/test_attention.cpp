#include <doctest/doctest.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tensor/cpu/attention.h"
#include "tests/emulated.h"
#include "tests/tensor/attention_problem.h"

using namespace kette;

namespace {

using Problem = AttentionProblem;

const DropoutMask kDropout(0.2, {5, 6});

}  // namespace

TEST_CASE("attention equals the reference: masks, dropout, odd widths, empty and long sequences") {
  for (const Device device : test_devices()) {
    const bool is_cpu = device == Device{};  // an emulated device is slow: fewer, shorter cases
    const std::vector<std::int64_t> widths =
        is_cpu ? std::vector<std::int64_t>{1, 5, 16, 40} : std::vector<std::int64_t>{5, 40};
    for (const DType dtype : {DType::f64, DType::f32, DType::bf16}) {
      const double tolerance = dtype == DType::f64 ? 1e-12 : dtype == DType::f32 ? 3e-6 : 1e-2;
      for (const Mask mask : {Mask::none, Mask::causal}) {
        for (const DropoutMask& dropout : {DropoutMask(), kDropout}) {
          for (const std::int64_t head_width : widths) {
            std::vector<std::int64_t> queries{3, 0, 17, 1, 130}, keys{5, 0, 33, 1, 150};
            if (!is_cpu) queries.back() = keys.back() = 0;
            const Problem problem(queries, keys, 2, head_width, mask, dropout, dtype, device);
            problem.run();
            CAPTURE(device.str());
            CAPTURE(std::string(name_of(dtype)));
            CAPTURE(head_width);
            CHECK(problem.gap_to_reference() <= tolerance);
          }
        }
      }
    }
  }
}

TEST_CASE("a NaN is the largest gap, wherever it lies") {
  const double nan = std::nan("");
  CHECK(std::isnan(largest_gap_of_rows({nan, 1, 2, 3}, {0, 1, 2, 4}, 2)));
  CHECK(std::isnan(largest_gap_of_rows({0, 1, 2, nan}, {5, 1, 2, 3}, 1)));
  const Problem problem({9}, {9}, 1, 8, Mask::causal, {}, DType::f32);
  problem.run();
  problem.output.slice(0, 1).copy_from(Tensor::full({1, 8}, nan));
  CHECK(std::isnan(problem.gap_to_reference()));
  CHECK(std::isnan(problem.gap_to_f64()));
}

TEST_CASE("attention's gradients are the slopes of its output") {
  for (const Mask mask : {Mask::none, Mask::causal}) {
    for (const DropoutMask& dropout : {DropoutMask(), kDropout}) {
      const Problem problem({3, 4, 50}, {3, 6, 50}, 1, 3, mask, dropout);
      problem.run();
      const auto weights = problem.doutput.values<double>();
      const auto weighted = [&] {
        kernels::attention(CpuExec{}, problem.args);
        const auto output = problem.output.values<double>();
        double sum = 0;
        for (std::size_t i = 0; i < output.size(); ++i) sum += weights[i] * output[i];
        return sum;
      };
      for (const auto& [value, gradient] : {std::pair{problem.queries, problem.dqueries},
                                            {problem.keys_values, problem.dkeys_values}}) {
        double gap = 0;
        for (std::int64_t i = 0; i < value.elements(); ++i) {
          double& element = value.data<double>()[i];
          const double kept = element, h = 1e-5;
          element = kept + h;
          const double up = weighted();
          element = kept - h;
          const double down = weighted();
          element = kept;
          const double here = std::abs(gradient.data<double>()[i] - (up - down) / (2 * h));
          gap = larger_gap(gap, here);
        }
        CHECK(gap < 1e-8);
      }
    }
  }
}

TEST_CASE("attention's gradients follow those in f64 on the CPU") {
  struct Case {
    std::vector<std::int64_t> queries, keys;
    std::int64_t heads, head_width;
    Mask mask;
  };
  const Case cases[] = {{{20, 7, 60}, {20, 9, 60}, 2, 24, Mask::causal},
                        {{17, 0, 3, 70}, {150, 2, 0, 70}, 1, 48, Mask::none},
                        {{90}, {75}, 1, 64, Mask::causal},
                        {{3, 15}, {9, 16}, 2, 64, Mask::causal},
                        {{14, 30}, {19, 28}, 1, 128, Mask::causal},
                        {{3, 18}, {18, 20}, 1, 200, Mask::none}};
  for (const Device device : test_devices()) {
    for (const DType dtype : {DType::f64, DType::f32, DType::bf16}) {
      const double tolerance = dtype == DType::f64 ? 1e-12 : dtype == DType::f32 ? 3e-6 : 2e-2;
      for (const auto& [queries, keys, heads, head_width, mask] : cases) {
        CAPTURE(device.str());
        CAPTURE(std::string(name_of(dtype)));
        const Problem narrow(queries, keys, heads, head_width, mask, kDropout, dtype, device);
        narrow.run();
        CHECK(narrow.gap_to_f64() <= tolerance);
      }
    }
  }
}

TEST_CASE(
    "attention in pairs of bf16 follows f64: masks, windows, groups, odd lengths and widths") {
  if (!cpu::can_multiply(cpu::Bf16Products::in_pairs)) {
    MESSAGE("skipped: this CPU is without AVX512-BF16");
    return;
  }
  const AttentionPattern causal = Mask::causal;
  struct Case {
    std::vector<std::int64_t> queries, keys;
    std::int64_t heads, head_width;
    AttentionPattern pattern;
  };
  const Case cases[] = {{{3, 0, 17, 1, 130}, {5, 0, 33, 1, 150}, 2, 40, Mask::none},
                        {{1, 49, 131}, {1, 49, 131}, 2, 16, Mask::causal},
                        {{90, 3}, {75, 7}, 1, 2, Mask::causal},
                        {{20, 7}, {21, 7}, 2, 5, Mask::causal},  // widened: of odd width
                        {{150, 60}, {150, 60}, 4, 32, causal.within(37).in_groups_of(2)},
                        {{99}, {99}, 1, 64, causal.within(8)}};
  for (const Case& c : cases) {
    for (const DropoutMask& dropout : {DropoutMask(), kDropout}) {
      CAPTURE(c.head_width);
      CAPTURE(c.queries[0]);
      const Problem problem(c.queries, c.keys, c.heads, c.head_width, c.pattern, dropout,
                            DType::bf16);
      cpu::attention(problem.args, cpu::Bf16Products::in_pairs);
      CHECK(problem.gap_to_reference() <= 1.5e-2);
      cpu::attention_backward(problem.args, problem.gradients, cpu::Bf16Products::in_pairs);
      CHECK(problem.gap_to_f64() <= 1.5e-2);
    }
  }
}

TEST_CASE("attention follows f64 on the CPU at any length, tile by tile") {
  // Sequences for each size of a tile: a row, whole tiles, a row less, a row more.
  const std::vector<std::int64_t> sets[] = {{1, 15, 16, 2}, {17, 32, 31}, {200, 64, 65}};
  for (const Device device : test_devices()) {
    for (const DType dtype : {DType::f32, DType::bf16}) {
      for (const std::vector<std::int64_t>& lengths : sets) {
        for (const DropoutMask& dropout : {DropoutMask(), kDropout}) {
          for (const Mask mask : {Mask::none, Mask::causal}) {
            // Of 20 elements a head of bf16 is not whole packs.
            const std::int64_t width = mask == Mask::none ? 20 : 32;
            std::vector<std::int64_t> keys = lengths;
            if (mask == Mask::none) std::rotate(keys.begin(), keys.begin() + 1, keys.end());
            CAPTURE(device.str());
            CAPTURE(std::string(name_of(dtype)));
            CAPTURE(lengths.front());
            CAPTURE(dropout.active());
            const Problem narrow(lengths, keys, 1, width, mask, dropout, dtype, device);
            narrow.run();
            CHECK(narrow.gap_to_f64() <= (dtype == DType::f32 ? 3e-6 : 2e-2));
          }
        }
      }
    }
  }
}

TEST_CASE("attention to equal keys is the mean of their values, however high the scores") {
  for (const Device device : test_devices()) {
    constexpr std::size_t kKeys = 200, kWidth = 16;
    Problem problem({2}, {kKeys}, 1, kWidth, Mask::none, {}, DType::f32, device);
    auto rows = problem.keys_values.values<float>();  // a key and its value
    std::vector<double> mean(kWidth);
    for (std::size_t i = 0; i < rows.size(); i += 2 * kWidth) {
      std::fill_n(rows.begin() + static_cast<std::ptrdiff_t>(i), kWidth, 0.7f);
      for (std::size_t e = 0; e < kWidth; ++e) mean[e] += rows[i + kWidth + e] / double{kKeys};
    }
    problem.keys_values.copy_from(Tensor::from(rows, {kKeys, 2 * kWidth}).to(device));
    problem.args.scale = 3000;
    problem.run_forward();
    const auto output = problem.output.values<double>();
    CAPTURE(device.str());
    for (std::size_t i = 0; i < output.size(); ++i) {
      CHECK(output[i] == doctest::Approx(mean[i % kWidth]).epsilon(1e-5));
    }
  }
}

TEST_CASE("a query with nothing to see gets zero, and gives no gradient") {
  for (const Device device : test_devices()) {
    for (const DType dtype : {DType::f64, DType::bf16}) {
      // Causal with fewer keys than queries: the first two queries come before the first key.
      const Problem problem({5}, {3}, 1, 16, Mask::causal, {}, dtype, device);
      problem.run();
      const auto output = problem.output.values<double>();
      const auto slope = problem.dqueries.values<double>();
      for (std::size_t i = 0; i < 2 * 16; ++i) {
        CHECK(output[i] == 0);
        CHECK(slope[i] == 0);
      }
      CHECK(output[2 * 16] != 0);
      CHECK(problem.log_sum_exp.values<double>()[1] == -INFINITY);
      Problem({0, 0}, {0, 2}, 1, 16, Mask::none, {}, dtype, device).run();
      Problem({}, {}, 1, 16, Mask::none, {}, dtype, device).run();
      const Problem keyless({2, 1}, {0, 1}, 1, 16, Mask::none, {}, dtype, device);
      keyless.run();
      CHECK(keyless.output.values<double>()[0] == 0);
      CHECK(keyless.dqueries.values<double>()[0] == 0);
    }
  }
}

TEST_CASE("no future token reaches a causal query") {
  for (const Device device : test_devices()) {
    for (const DType dtype : {DType::f32, DType::bf16}) {
      const Problem problem({90}, {90}, 1, 16, Mask::causal, {}, dtype, device);
      problem.doutput.zero();
      problem.doutput.slice(0, 40).copy_from(random({40, 16}, 3).to(dtype).to(device));
      problem.run();
      const auto slope = problem.dkeys_values.values<float>();
      for (std::size_t i = 40 * 32; i < slope.size(); ++i) CHECK(slope[i] == 0);
      CHECK(slope[39 * 32] != 0);
    }
  }
}

TEST_CASE("attention has the same bits for any number of threads") {
  const int threads = omp_get_max_threads();
  std::vector<std::vector<float>> results;
  for (const int count : {1, 2, 3}) {
    omp_set_num_threads(count);
    const Problem problem({9, 30, 70, 2}, {9, 30, 70, 2}, 3, 16, Mask::causal, kDropout,
                          DType::f32);
    problem.run();
    results.push_back(problem.output.values<float>());
    for (const Tensor& more : {problem.dqueries, problem.dkeys_values}) {
      const auto values = more.values<float>();
      results.back().insert(results.back().end(), values.begin(), values.end());
    }
  }
  omp_set_num_threads(threads);
  CHECK(results[0] == results[1]);
  CHECK(results[0] == results[2]);
}

TEST_CASE("attention names segments and widths that do not belong together") {
  for (const Device device : test_devices()) {
    Problem problem({3}, {3}, 1, 4, Mask::none, kDropout, DType::f64, device);
    problem.args.dropout_width = 2;
    CHECK_THROWS_WITH_AS(problem.run_forward(), doctest::Contains("dropout width"), Error);
    problem.args.key_segments = Segments::from_lengths({1, 2});
    CHECK_THROWS_WITH_AS(problem.run_backward(), doctest::Contains("given 2 and 1"), Error);
  }
}

TEST_CASE("CUDA emulator: attention has the same bits in 20 orders of threads") {
  emulator::Emulator* emulator = emulator::find();
  if (emulator == nullptr) return skip_emulator();
  for (const DType dtype : {DType::f32, DType::bf16}) {
    const Problem problem({70, 5}, {70, 9}, 1, 16, Mask::causal, kDropout, dtype,
                          {DeviceKind::cuda, 0});
    std::vector<float> expected;
    for_orders(*emulator, kFewerOrders, [&](std::uint64_t seed) {
      problem.run();
      std::vector<float> results;
      for (const Tensor& tensor : {problem.output, problem.dqueries, problem.dkeys_values}) {
        const auto values = tensor.values<float>();
        results.insert(results.end(), values.begin(), values.end());
      }
      if (seed == 1) expected = results;
      CHECK(results == expected);
    });
  }
}

TEST_CASE("on CUDA, attention of more heads than a grid has rows of blocks says so") {
  if (test_devices().size() == 1) return skip_cuda();
  const Problem problem({1}, {1}, 65536, 1, Mask::none, {}, DType::f32, {DeviceKind::cuda, 0});
  CHECK_THROWS_WITH_AS(problem.run_forward(), doctest::Contains("given 1 x 65536 x 1"), Error);
}
