// The likeliest entries of a vocabulary projection.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/decode/decode_models.h"
#include "tests/decode/prepacked.h"
#include "tests/devices.h"

using namespace kette;
using namespace kette::testing;

namespace {

struct Top {
  std::vector<float> values;
  std::vector<std::int32_t> entries;
  std::vector<float> target_values;
};

/// Takes place on the weight's device.
Top masked_top_k(const PrepackedWeight& weight, const Tensor& states, std::int64_t count,
                 const TokenMasks& masks, std::int32_t target,
                 std::int64_t logits_at_once = TopKArgs().logits_at_once) {
  const Device device = weight.panels.device();
  const std::int64_t rows = states.rows();
  TopKArgs args;
  args.weight = &weight;
  args.states = states.to(device);
  args.masks = masks;
  args.targets = Tensor::full({rows}, target, DType::i32).to(device);
  args.target_values = Tensor::empty({rows}, DType::f32, device);
  args.values = Tensor::empty({rows, count}, DType::f32, device);
  args.entries = Tensor::empty({rows, count}, DType::i32, device);
  args.logits_at_once = logits_at_once;
  on(device, [&](auto exec) { kernels::top_k(exec, args); });
  return {args.values.values<float>(), args.entries.values<std::int32_t>(),
          args.target_values.values<float>()};
}

Top top_k(const PrepackedWeight& weight, const Tensor& states, std::int64_t count,
          const std::vector<std::int32_t>& banned, std::int32_t target) {
  std::vector<bool> allowed(static_cast<std::size_t>(weight.out), true);
  for (const std::int32_t entry : banned) allowed[entry] = false;
  const TokenMasks masks{TokenMasks::pack({allowed}, weight.panels.device()), {}};
  return masked_top_k(weight, states, count, masks, target);
}

}  // namespace

TEST_CASE("the likeliest entries equal a sort of the log softmax") {
  constexpr std::int64_t kWidth = 24;
  for (const Device device : test_devices()) {
    CAPTURE(device.str());
    const std::int64_t rows = device.kind == DeviceKind::cpu ? 401 : 17;
    for (const auto& [vocabulary, wanted] :
         {std::pair{9, 7}, {300, 7}, {300, 200}, {1031, 7}, {1031, 65}, {90, 200}}) {
      const std::int64_t count = wanted;
      const Tensor weight = random_tensor({vocabulary, kWidth}, 5);
      float* const weights = weight.data<float>();
      // Equal rows make ties, which the lower entry wins.
      for (const std::int64_t copy : {vocabulary / 2, vocabulary - 1}) {
        std::copy_n(weights + 4 * kWidth, kWidth, weights + copy * kWidth);
      }
      const PrepackedWeight prepacked = pack(device, weight);
      const Tensor states = random_tensor({rows, kWidth}, 6);
      const Top top = top_k(prepacked, states, count, {0, 2, 6}, 2);
      const auto& [values, entries, target_values] = top;
      constexpr std::int64_t kFew = 3;
      const Top few = top_k(prepacked, states.slice(0, kFew), count, {0, 2, 6}, 2);
      REQUIRE(few.values == std::vector(values.begin(), values.begin() + kFew * count));
      REQUIRE(few.entries == std::vector(entries.begin(), entries.begin() + kFew * count));
      REQUIRE(few.target_values ==
              std::vector(target_values.begin(), target_values.begin() + kFew));
      for (std::int64_t row = 0; row < rows; ++row) {
        std::vector<std::pair<double, std::int64_t>> order;
        std::vector<double> logits;
        double total = 0;
        const float* const state = states.data<float>() + row * kWidth;
        for (std::int64_t v = 0; v < vocabulary; ++v) {
          double logit = 0;
          for (std::int64_t j = 0; j < kWidth; ++j) {
            logit += double(state[j]) * double(weights[v * kWidth + j]);
          }
          logits.push_back(logit);
          total += std::exp(logit);
          if (v != 0 && v != 2 && v != 6) order.emplace_back(-logit, v);
        }
        std::sort(order.begin(), order.end());
        const double shift = std::log(total);
        REQUIRE(target_values[row] == doctest::Approx(logits[2] - shift).epsilon(1e-5));
        for (std::int64_t i = 0; i < count; ++i) {
          const auto at = static_cast<std::size_t>(row * count + i);
          const float value = values[at];
          const std::int32_t entry = entries[at];
          if (i >= static_cast<std::int64_t>(order.size())) {
            REQUIRE(entry == -1);
            REQUIRE(value == -INFINITY);
            continue;
          }
          REQUIRE(value == doctest::Approx(-order[i].first - shift).epsilon(1e-5));
          REQUIRE(value == doctest::Approx(logits[entry] - shift).epsilon(1e-5));
          // Entries that differ in the last bit of their logits may have equal log-probabilities.
          if (i > 0 && logits[entry] == logits[entries[at - 1]]) {
            REQUIRE(entry > entries[at - 1]);
          }
        }
        // Nor does a later one take the place of an earlier.
        const auto first = entries.begin() + row * count, last = first + count;
        const auto is_chosen = [&](std::int64_t entry) {
          return std::find(first, last, entry) != last;
        };
        REQUIRE((is_chosen(4) || !is_chosen(vocabulary / 2)));
        REQUIRE((is_chosen(vocabulary / 2) || !is_chosen(vocabulary - 1)));
      }
    }
  }
}

TEST_CASE("the likeliest entries by panels in bf16 are those by the rounded weights") {
  const Tensor weight = random_tensor({301, 40}, 5), states = random_tensor({9, 40}, 6);
  for (const Device device : test_devices()) {
    CAPTURE(device.str());
    const Top narrow = top_k(pack(device, weight, {}, DType::bf16), states, 7, {0, 2, 6}, 2);
    const Top wide = top_k(pack(device, rounded(weight, DType::bf16)), states, 7, {0, 2, 6}, 2);
    CHECK(narrow.values == wide.values);
    CHECK(narrow.entries == wide.entries);
    CHECK(narrow.target_values == wide.target_values);
    // And not those by the weights as they were.
    CHECK(narrow.values != top_k(pack(device, weight), states, 7, {0, 2, 6}, 2).values);
  }
}

TEST_CASE("each row has its own mask, alone and in any chunk of rows") {
  constexpr std::int64_t kRows = 11, kCount = 5, kVocabulary = 70;
  const Tensor states = random_tensor({kRows, 8}, 6);
  std::vector<std::vector<bool>> masks(3, std::vector<bool>(kVocabulary, true));
  for (std::int64_t v = 0; v < kVocabulary; ++v) masks[1 + v % 2][v] = false;
  const Ids of_rows = {1, 0, 2, 1, 2, 2, 0, 1, 1, 0, 2};
  for (const Device device : test_devices()) {
    CAPTURE(device.str());
    const PrepackedWeight prepacked = pack(device, random_tensor({kVocabulary, 8}, 5));
    const auto entries = [&](std::int64_t begin, std::int64_t end, std::int64_t logits_at_once) {
      const TokenMasks own{
          TokenMasks::pack(masks, device),
          Tensor::from(Ids(of_rows.begin() + begin, of_rows.begin() + end), device)};
      return masked_top_k(prepacked, states.slice(begin, end), kCount, own, 0, logits_at_once)
          .entries;
    };
    const Ids all = entries(0, kRows, 1 << 20);
    CHECK(entries(0, kRows, 3 * kVocabulary) == all);
    for (std::int64_t row = 0; row < kRows; ++row) {
      const Ids alone = entries(row, row + 1, 1 << 20);
      CHECK(std::equal(alone.begin(), alone.end(), all.begin() + row * kCount));
      for (const std::int32_t entry : alone) CHECK(masks[of_rows[row]][entry]);
    }
  }
}

TEST_CASE("a state that is not a number has no likely entries, and says so") {
  for (const Device device : test_devices()) {
    CAPTURE(device.str());
    const PrepackedWeight prepacked = pack(device, random_tensor({50, 8}, 1));
    const Top top = top_k(prepacked, Tensor::full({1, 8}, NAN), 2, {}, 3);
    CHECK(std::isnan(top.target_values[0]));
    for (const float value : top.values) CHECK(std::isnan(value));
    CHECK(top.entries == std::vector<std::int32_t>{-1, -1});
  }
}
