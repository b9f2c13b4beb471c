#include <doctest/doctest.h>

#include <cmath>

#include "tensor/kernels.h"
#include "tests/decode/decode_models.h"

using namespace kette;
using namespace kette::testing;

namespace {

Tensor random_tensor(Shape shape, std::uint64_t seed) {
  const Tensor tensor = Tensor::empty(shape);
  Random random(seed, 0);
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    tensor.data<float>()[i] = static_cast<float>(random.uniform(-1, 1));
  }
  return tensor;
}

Tensor first_rows(const Tensor& x, std::int64_t rows) { return x.slice(0, rows); }

}  // namespace

TEST_CASE("packed products equal plain loops, and a row does not notice the others") {
  for (const auto& [out, in] : {std::pair{7, 5}, {64, 128}, {130, 33}, {257, 64}}) {
    const Tensor weight = random_tensor({out, in}, 1), bias = random_tensor({out}, 2);
    const PackedWeight packed = kernels::pack_linear(CpuExec{}, {weight}, {bias});
    const Tensor x = random_tensor({23, in}, 3), y = Tensor::empty({23, out});
    kernels::packed_linear(CpuExec{}, {&packed, x, y, Activation::relu});
    for (std::int64_t i = 0; i < 23; ++i) {
      for (std::int64_t j = 0; j < out; ++j) {
        double expected = bias.data<float>()[j];
        for (std::int64_t p = 0; p < in; ++p) {
          expected +=
              double(x.data<float>()[i * in + p]) * double(weight.data<float>()[j * in + p]);
        }
        REQUIRE(y.data<float>()[i * out + j] ==
                doctest::Approx(std::max(expected, 0.0)).epsilon(1e-4));
      }
    }
    for (std::int64_t rows = 1; rows < 23; ++rows) {
      const Tensor fewer = Tensor::empty({rows, out});
      kernels::packed_linear(CpuExec{}, {&packed, first_rows(x, rows), fewer, Activation::relu});
      REQUIRE(fewer.values<float>() == first_rows(y, rows).values<float>());
    }
  }
}

TEST_CASE("stacked matrices give their outputs side by side") {
  const Tensor a = random_tensor({10, 6}, 1), b = random_tensor({3, 6}, 2),
               x = random_tensor({2, 6}, 3);
  const Tensor no_bias_a = Tensor::zeros({10}), no_bias_b = Tensor::full({3}, 0.5);
  const PackedWeight both = kernels::pack_linear(CpuExec{}, {a, b}, {no_bias_a, no_bias_b});
  const PackedWeight second = kernels::pack_linear(CpuExec{}, {b}, {no_bias_b});
  const Tensor y = Tensor::empty({2, 13}), alone = Tensor::empty({2, 3});
  kernels::packed_linear(CpuExec{}, {&both, x, y});
  kernels::packed_linear(CpuExec{}, {&second, x, alone});
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j)
      CHECK(y.data<float>()[i * 13 + 10 + j] == alone.data<float>()[i * 3 + j]);
  }
  CHECK_THROWS_WITH(kernels::pack_linear(CpuExec{}, {a, random_tensor({3, 5}, 1)}, {}),
                    "pack_linear: expected matrices [out, 6], given f32 [3, 5] on cpu");
}

TEST_CASE("the likeliest entries equal a sort of the log softmax") {
  constexpr std::int64_t kWidth = 24;
  for (const std::int64_t vocabulary : {9, 300, 1031}) {
    const Tensor weight = random_tensor({vocabulary, kWidth}, 5);
    // Equal rows make ties, which the lower entry wins.
    for (std::int64_t j = 0; j < kWidth; ++j) {
      for (const std::int64_t copy : {vocabulary / 2, vocabulary - 1}) {
        weight.data<float>()[copy * kWidth + j] = weight.data<float>()[4 * kWidth + j];
      }
    }
    const PackedWeight packed = kernels::pack_linear(CpuExec{}, {weight}, {});
    constexpr std::int64_t kRows = 401, kCount = 7;
    TopEntriesArgs args;
    args.weight = &packed;
    args.states = random_tensor({kRows, kWidth}, 6);
    args.banned = {0, 2, 6};
    args.targets = Tensor::full({kRows}, 2, DType::i32);
    args.target_values = Tensor::empty({kRows});
    args.values = Tensor::empty({kRows, kCount});
    args.entries = Tensor::empty({kRows, kCount}, DType::i32);
    kernels::top_entries(CpuExec{}, args);
    for (std::int64_t row = 0; row < kRows; ++row) {
      std::vector<std::pair<double, std::int64_t>> order;
      std::vector<double> logits;
      double total = 0;
      for (std::int64_t v = 0; v < vocabulary; ++v) {
        double logit = 0;
        for (std::int64_t j = 0; j < kWidth; ++j) {
          logit += double(args.states.data<float>()[row * kWidth + j]) *
                   double(weight.data<float>()[v * kWidth + j]);
        }
        logits.push_back(logit);
        total += std::exp(logit);
        if (v != 0 && v != 2 && v != 6) order.emplace_back(-logit, v);
      }
      std::sort(order.begin(), order.end());
      const double shift = std::log(total);
      REQUIRE(args.target_values.data<float>()[row] ==
              doctest::Approx(logits[2] - shift).epsilon(1e-5));
      for (std::int64_t i = 0; i < kCount; ++i) {
        const float value = args.values.data<float>()[row * kCount + i];
        const std::int32_t entry = args.entries.data<std::int32_t>()[row * kCount + i];
        if (i >= static_cast<std::int64_t>(order.size())) {
          REQUIRE(entry == -1);
          REQUIRE(value == -INFINITY);
          continue;
        }
        REQUIRE(value ==
                doctest::Approx(-order[static_cast<std::size_t>(i)].first - shift).epsilon(1e-5));
        REQUIRE(value ==
                doctest::Approx(logits[static_cast<std::size_t>(entry)] - shift).epsilon(1e-5));
        if (i > 0 && value == args.values.data<float>()[row * kCount + i - 1]) {
          REQUIRE(entry > args.entries.data<std::int32_t>()[row * kCount + i - 1]);
        }
      }
    }
  }
}

TEST_CASE("cached attention follows the slots") {
  constexpr std::int64_t kWidth = 12, kHeads = 3;
  const std::vector<Tensor> pages{random_tensor({2, 2 * kWidth}, 1),
                                  random_tensor({3, 2 * kWidth}, 2),
                                  random_tensor({3, 2 * kWidth}, 3)};
  // Row 0 has been there from the start; row 1 began at page 1.
  const std::vector<std::int32_t> slots{1, 0, 2, 2, 1, 0};
  const Tensor query = random_tensor({2, kWidth}, 4);
  CachedAttentionArgs cached;
  cached.rows = {query.data<float>(), kWidth, Tensor::empty({2, kWidth}), kHeads, 0.5};
  for (const Tensor& page : pages) cached.pages.push_back(page.data<float>());
  cached.page_stride = 2 * kWidth;
  cached.slots = slots.data();
  cached.slot_stride = 3;
  cached.first_pages = {0, 1};
  cached.lengths = {3, 2};
  kernels::cached_attention(CpuExec{}, cached);

  const auto key = [&](std::size_t page, std::int64_t slot) {
    return pages[page].data<float>() + slot * 2 * kWidth;
  };
  const std::vector<std::vector<const float*>> keys{{key(0, 1), key(1, 0), key(2, 2)},
                                                    {key(1, 2), key(2, 1)}};
  for (std::int64_t row = 0; row < 2; ++row) {
    // The same keys side by side, for the attention over a memory, and plain loops for both.
    const auto& past = keys[static_cast<std::size_t>(row)];
    std::vector<float> memory;
    for (const float* k : past) memory.insert(memory.end(), k, k + 2 * kWidth);
    MemoryAttentionArgs args;
    args.rows = {query.data<float>() + row * kWidth, kWidth, Tensor::empty({1, kWidth}), kHeads,
                 0.5};
    args.keys = {memory.data()};
    args.lengths = {static_cast<std::int64_t>(past.size())};
    args.key_stride = 2 * kWidth;
    kernels::memory_attention(CpuExec{}, args);
    for (std::int64_t head = 0; head < kHeads; ++head) {
      double total = 0;
      std::vector<double> sums(4);
      for (const float* k : past) {
        double score = 0;
        for (std::int64_t e = 0; e < 4; ++e) {
          score +=
              double(query.data<float>()[row * kWidth + head * 4 + e]) * double(k[head * 4 + e]);
        }
        const double weight = std::exp(0.5 * score);
        total += weight;
        for (std::int64_t e = 0; e < 4; ++e) {
          sums[static_cast<std::size_t>(e)] += weight * double(k[kWidth + head * 4 + e]);
        }
      }
      for (std::int64_t e = 0; e < 4; ++e) {
        const float got = cached.rows.output.data<float>()[row * kWidth + head * 4 + e];
        CHECK(got == doctest::Approx(sums[static_cast<std::size_t>(e)] / total).epsilon(1e-5));
        CHECK(got == args.rows.output.data<float>()[head * 4 + e]);
      }
    }
  }
}
