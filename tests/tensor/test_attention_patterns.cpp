// Who attends to whom, on every device: shared keys, windows and ALiBi's slopes.
#include <doctest/doctest.h>
#include <omp.h>

#include "tests/tensor/attention_problem.h"

using namespace kette;

namespace {

const AttentionPattern kCausal = Mask::causal;
const DropoutMask kRareDropout(0.2, {5, 6});

/// Output, statistics and gradients.
std::vector<double> results(const AttentionProblem& problem) {
  std::vector<double> all;
  for (const Tensor& tensor :
       {problem.output, problem.log_sum_exp, problem.dqueries, problem.dkeys_values}) {
    const auto values = tensor.values<double>();
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

std::vector<double> results_of(const std::vector<std::int64_t>& lengths, std::int64_t heads,
                               std::int64_t width, const AttentionPattern& pattern,
                               const DropoutMask& dropout, DType dtype, Device device) {
  const AttentionProblem problem(lengths, lengths, heads, width, pattern, dropout, dtype, device);
  problem.run();
  return results(problem);
}

/// Rows [begin, end) of all columns become NaN.
void poison(const Tensor& tensor, std::int64_t begin, std::int64_t end) {
  const Tensor rows = tensor.slice(begin, end);
  rows.copy_from(Tensor::full(rows.shape(), std::nan(""), tensor.dtype()).to(tensor.device()));
}

bool all_finite(const Tensor& tensor) {
  for (const double value : tensor.values<double>()) {
    if (!std::isfinite(value)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("attention patterns: the output equals the reference") {
  const AttentionPattern patterns[] = {AttentionPattern().in_groups_of(2),
                                       kCausal.in_groups_of(2),
                                       kCausal.in_groups_of(4),
                                       kCausal.within(1),
                                       kCausal.within(20),
                                       kCausal.with_slopes(),
                                       kCausal.in_groups_of(2).within(33).with_slopes()};
  for (const Device device : test_devices()) {
    const bool is_cpu = device == Device{};
    for (const DType dtype : {DType::f64, DType::f32, DType::bf16}) {
      const double tolerance = dtype == DType::f64 ? 1e-12 : dtype == DType::f32 ? 3e-6 : 1e-2;
      for (const AttentionPattern& pattern : patterns) {
        for (const DropoutMask& dropout : {DropoutMask(), kRareDropout}) {
          const std::vector<std::int64_t> queries{3, 0, 17, is_cpu ? 200 : 70},
              keys{5, 0, 33, is_cpu ? 230 : 75};
          const AttentionProblem problem(queries, keys, 4, 5, pattern, dropout, dtype, device);
          problem.run_forward();
          CAPTURE(device.str());
          CAPTURE(std::string(name_of(dtype)));
          CAPTURE(pattern.group);
          CAPTURE(pattern.window);
          CHECK(problem.gap_to_reference() <= tolerance);
        }
      }
    }
  }
}

TEST_CASE("attention patterns: gradients are the slopes of the output") {
  const AttentionPattern patterns[] = {kCausal.in_groups_of(2), kCausal.within(7),
                                       kCausal.in_groups_of(2).within(40).with_slopes()};
  for (const AttentionPattern& pattern : patterns) {
    const AttentionProblem problem({3, 60}, {4, 62}, 2, 3, pattern, kRareDropout);
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
      for (std::int64_t i = 0; i < value.elements(); i += 5) {
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

TEST_CASE("attention patterns: gradients on every device follow those in f64 on the CPU") {
  const AttentionPattern patterns[] = {kCausal.in_groups_of(2), kCausal.within(21),
                                       kCausal.in_groups_of(4).within(40).with_slopes()};
  for (const Device device : test_devices()) {
    for (const DType dtype : {DType::f32, DType::bf16}) {
      for (const AttentionPattern& pattern : patterns) {
        const std::vector<std::int64_t> lengths{18, 1, 75};
        const AttentionProblem narrow(lengths, lengths, 4, 24, pattern, kRareDropout, dtype,
                                      device);
        narrow.run();
        CAPTURE(device.str());
        CAPTURE(std::string(name_of(dtype)));
        CAPTURE(pattern.window);
        CHECK(narrow.gap_to_f64() <= (dtype == DType::f32 ? 3e-6 : 2e-2));
      }
    }
  }
}

TEST_CASE("attention patterns: a window no shorter than the sequences changes no bit") {
  for (const Device device : test_devices()) {
    for (const DType dtype : {DType::f32, DType::bf16}) {
      for (const DropoutMask& dropout : {DropoutMask(), kRareDropout}) {
        const std::vector<std::int64_t> lengths{70, 3, 16};
        const auto whole = results_of(lengths, 2, 16, kCausal, dropout, dtype, device);
        for (const std::int64_t window :
             {std::int64_t{70}, std::int64_t{71}, std::int64_t{1} << 40}) {
          CHECK(results_of(lengths, 2, 16, kCausal.within(window), dropout, dtype, device) ==
                whole);
        }
        CHECK(results_of(lengths, 2, 16, kCausal.within(69), dropout, dtype, device) != whole);
      }
    }
  }
}

TEST_CASE("attention patterns: keys shared by a group are keys copied to each of its heads") {
  for (const Device device : test_devices()) {
    const AttentionProblem shared({40}, {40}, 4, 8, kCausal.in_groups_of(2), kRareDropout,
                                  DType::f32, device);
    const AttentionProblem copied({40}, {40}, 4, 8, kCausal, kRareDropout, DType::f32, device);
    const auto few = shared.keys_values.values<float>();
    std::vector<float> many;
    for (std::int64_t row = 0; row < 40; ++row) {
      for (std::int64_t block = 0; block < 8; ++block) {  // four heads of keys, four of values
        const auto first = few.begin() + row * 32 + block / 2 * 8;
        many.insert(many.end(), first, first + 8);
      }
    }
    copied.keys_values.copy_from(Tensor::from(many, {40, 64}).to(device));
    shared.run();
    copied.run();
    CHECK(shared.output.values<float>() == copied.output.values<float>());
    CHECK(shared.dqueries.values<float>() == copied.dqueries.values<float>());
    // A shared key's gradient is the sum over the heads that read it.
    const auto sums = shared.dkeys_values.values<double>(),
               each = copied.dkeys_values.values<double>();
    for (std::int64_t row = 0; row < 40; ++row) {
      for (std::int64_t i = 0; i < 32; ++i) {
        const std::int64_t at = row * 64 + i / 8 * 16 + i % 8;
        CHECK(sums[row * 32 + i] == doctest::Approx(each[at] + each[at + 8]).epsilon(1e-4));
      }
    }
  }
}

TEST_CASE(
    "attention patterns: shared keys' gradients have the same bits on any number of threads") {
  const int before = omp_get_max_threads();
  std::vector<std::vector<double>> gradients;
  for (const int threads : {1, 2, 5}) {
    omp_set_num_threads(threads);
    const AttentionProblem problem({150}, {150}, 4, 20, kCausal.in_groups_of(4), kRareDropout,
                                   DType::f32);
    problem.run();
    gradients.push_back(problem.dkeys_values.values<double>());
  }
  omp_set_num_threads(before);
  CHECK(gradients[1] == gradients[0]);
  CHECK(gradients[2] == gradients[0]);
}

TEST_CASE("attention patterns: what a window does not touch is not read") {
  constexpr std::int64_t kLength = 600, kWindow = 40;
  // Tiles reach at most so far beyond the window: 128 keys that share masks, and a tile of queries.
  constexpr std::int64_t kSlack = 128 + 64 + kWindow;
  for (const Device device : test_devices()) {
    for (const DType dtype : {DType::f32, DType::bf16}) {
      for (const DropoutMask& dropout : {DropoutMask(), kRareDropout}) {
        CAPTURE(device.str());
        CAPTURE(std::string(name_of(dtype)));
        const AttentionProblem problem({kLength}, {kLength}, 1, 16, kCausal.within(kWindow),
                                       dropout, dtype, device);
        // The last queries see nothing of the first keys, and the other way round.
        poison(problem.keys_values, 0, kLength / 2 - kSlack);
        problem.run();
        for (const Tensor& tensor : {problem.output, problem.dqueries}) {
          CHECK(all_finite(tensor.slice(kLength / 2, kLength)));
          CHECK_FALSE(all_finite(tensor.slice(0, kLength / 2)));
        }
        CHECK(all_finite(problem.dkeys_values.slice(kLength / 2, kLength)));
      }
    }
  }
}

TEST_CASE("attention patterns: the pairs of a window are as many as the mask leaves") {
  for (const std::int64_t queries : {0, 1, 5, 9}) {
    for (const std::int64_t keys : {0, 1, 5, 9}) {
      for (const std::int64_t window : {0, 1, 3, 5, 20}) {
        const AttentionPattern pattern = kCausal.within(window);
        double count = 0;
        for (std::int64_t q = 0; q < queries; ++q) {
          const std::int64_t own = q + keys - queries;
          for (std::int64_t k = 0; k <= own; ++k) count += window == 0 || own - k < window;
        }
        CHECK(pattern.pairs(queries, keys) == count);
      }
    }
  }
  CHECK(kCausal.within(100).pairs(20'000, 20'000) <
        2.1 * kCausal.within(100).pairs(10'000, 10'000));
}

TEST_CASE("attention patterns: ALiBi's slopes are the paper's, for any number of heads") {
  const AttentionPattern alibi = kCausal.with_slopes();
  for (std::int64_t head = 0; head < 8; ++head) {  // 1/2, 1/4, ... of section 3
    CHECK(alibi.slope(head, 8) == std::exp2(-static_cast<double>(head + 1)));
    CHECK(kCausal.slope(head, 8) == 0);
  }
  CHECK(alibi.slope(0, 16) == doctest::Approx(std::exp2(-0.5)));
  // Of 12: those of 8, then the first, third, ... of 16.
  for (std::int64_t head = 0; head < 8; ++head) {
    CHECK(alibi.slope(head, 12) == alibi.slope(head, 8));
  }
  for (std::int64_t head = 8; head < 12; ++head) {
    CHECK(alibi.slope(head, 12) == alibi.slope(2 * (head - 8), 16));
  }
}

TEST_CASE("attention patterns: such as make no sense are refused") {
  const auto run = [](std::int64_t heads, const AttentionPattern& pattern) {
    AttentionProblem problem({3}, {3}, heads, 4, Mask::none, {});
    problem.args.pattern = pattern;
    problem.run_forward();
  };
  CHECK_THROWS_WITH_AS(run(3, kCausal.in_groups_of(2)), doctest::Contains("given 3 in groups of 2"),
                       Error);
  CHECK_THROWS_WITH_AS(run(2, AttentionPattern().within(2)),
                       doctest::Contains("expected a causal mask beside a window"), Error);
  CHECK_THROWS_WITH_AS(run(2, kCausal.within(-1)),
                       "attention: expected a window of 0 or more keys, given -1", Error);
  CHECK_THROWS_WITH_AS(run(2, AttentionPattern().with_slopes()),
                       doctest::Contains("expected a causal mask"), Error);
}
