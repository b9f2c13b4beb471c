// Linear attention by chunks and states against its weights spelled out (nn/probabilities.h), and
// what the samples of the op are too small for: whole vectors, many chunks, every device and type.
#include <doctest/doctest.h>
#include <omp.h>

#include <cmath>

#include "autograd/ops/attention.h"
#include "autograd/ops/linear_attention.h"
#include "autograd/tape.h"
#include "nn/linear_attention.h"
#include "nn/probabilities.h"
#include "tests/devices.h"
#include "tests/gap.h"
#include "tests/random_tensor.h"

using namespace kette;

namespace {

using Numbers = std::vector<double>;

constexpr AttentionPattern (*kPattern)(Mask) = [](Mask mask) {
  return AttentionPattern(mask).with_linear_weights();
};

/// Output and gradient.
struct Outcome {
  Numbers output, gradient;
};

struct Problem {
  Segments segments;
  AttentionOptions options;
  Tensor x, upstream;

  Problem(const std::vector<std::int64_t>& lengths, std::int64_t heads, std::int64_t head_width,
          const AttentionPattern& pattern, DType dtype = DType::f64, Device device = {})
      : segments(Segments::from_lengths(lengths)), options{heads, pattern, {}} {
    // Rounded through bf16, so that every type is given the very same numbers.
    const auto numbers = [&](std::int64_t width, int seed) {
      return random({segments.rows(), width}, seed).to(DType::bf16).to(dtype).to(device);
    };
    x = numbers(options.heads_in_row() * head_width, 1);
    upstream = numbers(heads * head_width, 2);
  }
  template <class Attend>
  Outcome run(const Attend& attend) const {
    Tape tape;
    const Variable in = tape.watch(x), out = attend(in);
    tape.backward(out, upstream);
    return {out.value().values<double>(), tape.gradient(in).values<double>()};
  }
  Outcome run() const {
    return run([&](const Variable& in) { return linear_attention(in, segments, options); });
  }
};

double gap(const Numbers& expected, const Numbers& got) {
  REQUIRE(expected.size() == got.size());
  double worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double here = std::abs(expected[i] - got[i]) / std::max(1.0, std::abs(expected[i]));
    worst = larger_gap(worst, here);
  }
  return worst;
}

}  // namespace

TEST_CASE("linear attention equals its weights spelled out, gradients too") {
  for (const Mask mask : {Mask::causal, Mask::none}) {
    for (const std::int64_t group : {1, 2}) {
      const Problem problem({130, 1, 0, 49}, 2, 16, kPattern(mask).in_groups_of(group));
      const Outcome spelled_out = problem.run([&](const Variable& in) {
        const AttentionInputs inputs =
            PackedSequences(problem.segments).self_inputs(0, in, problem.options);
        ParamStore store;
        const auto mixer = linear_attention_mixer(Scope(store), {2, 16});
        return weighted_values(mixer->probabilities(inputs, 2), inputs, {});
      });
      const Outcome fused = problem.run();
      CHECK(gap(spelled_out.output, fused.output) < 1e-12);
      CHECK(gap(spelled_out.gradient, fused.gradient) < 1e-11);
    }
  }
}

TEST_CASE("linear attention on every device follows f64 on the CPU") {
  for (const Device device : test_devices()) {
    for (const DType dtype : {DType::f32, DType::bf16}) {
      for (const std::int64_t head_width : {24, 40, 130}) {
        for (const Mask mask : {Mask::causal, Mask::none}) {
          const AttentionPattern pattern = kPattern(mask).in_groups_of(head_width == 40 ? 2 : 1);
          const Outcome wide = Problem({35, 2}, 2, head_width, pattern).run(),
                        narrow = Problem({35, 2}, 2, head_width, pattern, dtype, device).run();
          CAPTURE(device.str());
          CAPTURE(std::string(name_of(dtype)));
          CAPTURE(head_width);
          const double tolerance = dtype == DType::f32 ? 1e-5 : 2e-2;
          CHECK(gap(wide.output, narrow.output) < tolerance);
          CHECK(gap(wide.gradient, narrow.gradient) < 2 * tolerance);
        }
      }
    }
  }
}

TEST_CASE("linear attention: same bits alone and among others, on any number of threads") {
  const AttentionPattern pattern = kPattern(Mask::causal).in_groups_of(2);
  const Problem many({60, 100}, 4, 16, pattern, DType::f32);
  Problem alone({100}, 4, 16, pattern, DType::f32);
  alone.x.copy_from(many.x.slice(60, 160));
  alone.upstream.copy_from(many.upstream.slice(60, 160));
  const auto tail = [](const Numbers& all, std::size_t count) {
    return Numbers(all.end() - static_cast<std::ptrdiff_t>(count), all.end());
  };
  const Outcome one = alone.run(), both = many.run();
  CHECK(tail(both.output, one.output.size()) == one.output);
  CHECK(tail(both.gradient, one.gradient.size()) == one.gradient);
  const int before = omp_get_max_threads();
  for (const int threads : {1, 3}) {
    omp_set_num_threads(threads);
    const Outcome again = many.run();
    CHECK(again.output == both.output);
    CHECK(again.gradient == both.gradient);
  }
  omp_set_num_threads(before);
}

TEST_CASE("linear attention: features that underflow leave numbers, not NaNs") {
  for (const Device device : test_devices()) {
    Problem problem({5}, 1, 4, kPattern(Mask::causal), DType::f32, device);
    problem.x.copy_from(Tensor::full(problem.x.shape(), -200, DType::f32).to(device));
    const Outcome outcome = problem.run();
    for (const double value : outcome.output) CHECK(value == 0);
    for (const double value : outcome.gradient) CHECK(std::isfinite(value));
  }
}

TEST_CASE("linear attention: what it cannot do is refused") {
  const auto refuses = [](const AttentionOptions& options, const char* message) {
    const Variable x = Tensor::zeros({3, 3 * 8}, DType::f32);
    CHECK_THROWS_WITH_AS(linear_attention(x, Segments::from_lengths({3}), options),
                         doctest::Contains(message), Error);
  };
  refuses({2, Mask::causal, {}}, "expected a pattern of linear weights");
  refuses({2, kPattern(Mask::causal).within(2), {}},
          "expected neither a window nor ALiBi's slopes");
  refuses({2, kPattern(Mask::causal), DropoutMask(0.5, {1, 2})}, "expected no dropout");
  const Variable x = Tensor::zeros({3, 3 * 8}, DType::f32);
  CHECK_THROWS_WITH_AS(
      self_attention(x, Segments::from_lengths({3}), {2, kPattern(Mask::causal), {}}),
      doctest::Contains("expected weights of a softmax"), Error);
}
