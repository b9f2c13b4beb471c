// Drawing the next token: against the theory, and against the definition on every device.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "decode/sampling.h"
#include "tensor/kernels.h"
#include "tensor/token_draw.h"
#include "tests/devices.h"
#include "tests/emulated.h"

using namespace kette;

namespace {

using Ids = std::vector<std::int32_t>;
using Logits = std::vector<float>;

/// Of rows [rows, vocabulary]; row r is text r at position first + r. -1 where the logits are refused.
Ids draw(const Logits& logits, std::int64_t rows, const SamplingOptions& options, Device device,
         std::int32_t first = 0) {
  std::vector<Draw> rows_of_texts;
  for (std::int32_t row = 0; row < rows; ++row) rows_of_texts.push_back({&options, row});
  Ids positions(rows_of_texts.size());
  std::iota(positions.begin(), positions.end(), first);
  const auto vocabulary = static_cast<std::int64_t>(logits.size()) / rows;
  const Tensor drawn = Tensor::empty({2, rows}, DType::i32, device);
  sample(Tensor::from(logits, {rows, vocabulary}, device), draw_settings(rows_of_texts, device),
         Tensor::from(positions, device), drawn);
  Ids tokens = drawn.values<std::int32_t>();
  for (std::size_t row = 0; row < positions.size(); ++row) {
    const std::int32_t refused = tokens[positions.size() + row];
    REQUIRE((refused == 0 || (refused == 1 && tokens[row] == 0)));
    if (refused == 1) tokens[row] = -1;
  }
  tokens.resize(positions.size());
  return tokens;
}

Logits repeated(const Logits& row, std::int64_t rows) {
  Logits all;
  for (std::int64_t i = 0; i < rows; ++i) all.insert(all.end(), row.begin(), row.end());
  return all;
}

/// How often each token is drawn, of `count` draws.
std::vector<double> frequencies(const Logits& logits, const SamplingOptions& options,
                                std::int64_t count, Device device) {
  std::vector<double> result(logits.size());
  for (const std::int32_t token : draw(repeated(logits, count), count, options, device)) {
    result[token] += 1;
  }
  return result;
}

/// Pearson's statistic: for n kinds about n - 1, with deviation sqrt(2 n).
double chi_squared(const std::vector<double>& drawn, const std::vector<double>& probabilities,
                   double count) {
  double sum = 0;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    if (probabilities[i] == 0) {
      CHECK(drawn[i] == 0);
      continue;
    }
    const double expected = count * probabilities[i];
    sum += (drawn[i] - expected) * (drawn[i] - expected) / expected;
  }
  return sum;
}

std::vector<double> softmax(const Logits& logits, double temperature,
                            const std::vector<std::size_t>& allowed) {
  std::vector<double> result(logits.size());
  double total = 0;
  for (const std::size_t i : allowed) {
    total += result[i] = std::exp(static_cast<double>(logits[i]) / temperature);
  }
  for (double& value : result) value /= total;
  return result;
}

/// The definition, word for word.
std::int32_t defined_draw(const Logits& row, const SamplingOptions& options, std::uint64_t text,
                          std::int64_t position) {
  std::vector<std::size_t> order(row.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return row[a] > row[b]; });
  if (options.temperature == 0) return static_cast<std::int32_t>(order[0]);
  const float peak = row[order[0]];
  const auto weight = [&](std::size_t v) {
    const double distance = static_cast<double>(row[v]) - static_cast<double>(peak);
    return std::llround(std::exp(distance / options.temperature) * 0x1p40);
  };
  const auto sum = [&] {
    std::int64_t total = 0;
    for (const std::size_t v : order) total += weight(v);
    return total;
  };
  if (options.top_k > 0 && options.top_k < static_cast<std::int64_t>(row.size())) {
    order.resize(static_cast<std::size_t>(options.top_k));
  }
  const double needed = options.top_p * static_cast<double>(sum());
  std::int64_t reached = 0;
  std::size_t kept = 0;
  while (kept < order.size() && static_cast<double>(reached) < needed) {
    reached += weight(order[kept++]);
  }
  if (options.top_p < 1) order.resize(kept);
  std::int64_t place = static_cast<std::int64_t>(
      draw_place(static_cast<TokenWeight>(sum()), {options.seed, text}, position));
  std::sort(order.begin(), order.end());
  std::size_t i = 0;
  for (; place >= weight(order[i]); ++i) place -= weight(order[i]);
  return static_cast<std::int32_t>(order[i]);
}

/// Normal, on a grid: many are equal.
Logits random_logits(std::int64_t count, std::uint64_t seed) {
  Random random(seed);
  Logits logits(static_cast<std::size_t>(count));
  for (float& logit : logits) logit = static_cast<float>(std::round(random.normal() * 12) / 8);
  return logits;
}

SamplingOptions options_of(double temperature, std::int64_t top_k, double top_p) {
  SamplingOptions options;
  options.temperature = temperature;
  options.top_k = top_k;
  options.top_p = top_p;
  return options;
}

}  // namespace

TEST_CASE("sampling: a share is the least whole weight that reaches it") {
  CHECK(share_of(10, 0.25) == 3);
  CHECK(share_of(8, 0.25) == 2);
  CHECK(share_of(3, 1e-9) == 1);
  CHECK(share_of(3, 1) == 3);
  constexpr TokenWeight kLarge = (TokenWeight{1} << 62) - 1;  // rounds up as a double
  CHECK(share_of(kLarge, 1) == kLarge);
}

TEST_CASE("sampling: each position of each text has a place of its own") {
  std::set<TokenWeight> places;
  for (std::uint64_t text = 0; text < 20; ++text) {
    for (std::int64_t position = 0; position < 50; ++position) {
      const TokenWeight place = draw_place(TokenWeight{1} << 40, {1, text}, position);
      CHECK(place < TokenWeight{1} << 40);
      places.insert(place);
    }
  }
  CHECK(places.size() == 1000);
}

TEST_CASE("sampling: the distribution is the one that theory says") {
  const Logits logits = {0.3f, -1, 2, 1.5f, 0, -3, 1.5f, 0.9f, -0.2f, 1.1f};
  const std::vector<std::size_t> all = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  for (const Device device : test_devices()) {
    CAPTURE(device.str());
    const auto check = [&](const SamplingOptions& options,
                           const std::vector<std::size_t>& allowed) {
      const bool slow = device.kind == DeviceKind::cuda;
      const std::int64_t draws = !slow ? 40000 : allowed.size() == logits.size() ? 1000 : 50;
      const auto expected = softmax(logits, options.temperature, allowed);
      const double n = static_cast<double>(allowed.size());
      const double statistic = chi_squared(frequencies(logits, options, draws, device), expected,
                                           static_cast<double>(draws));
      CHECK(statistic < n - 1 + 4 * std::sqrt(2 * n));
    };
    check(options_of(1, 0, 1), all);
    check(options_of(0.5, 0, 1), all);
    check(options_of(3, 0, 1), all);
    check(options_of(3, 3, 1), {2, 3, 6});  // 2, then the equals 3 and 6
    check(options_of(3, 2, 1), {2, 3});     // of equals the lower
    // Probabilities 0.316, 0.192, 0.192, 0.129, ...: the third reaches 0.6, the fourth 0.705.
    check(options_of(1, 0, 0.6), {2, 3, 6});
    check(options_of(1, 0, 0.705), {2, 3, 6, 9});
    check(options_of(1, 0, 1e-9), {2});
    check(options_of(1, 3, 0.7), {2, 3});  // of 0.45, 0.27, 0.27
  }
  // A wrong expectation is found out.
  constexpr std::int64_t kDraws = 40000;
  CHECK(chi_squared(frequencies(logits, {}, kDraws, {}), softmax(logits, 1.1, all), kDraws) > 50);
}

TEST_CASE("sampling: weights are rounded exponentials, down to nothing") {
  for (float logit = 3; logit > -30; logit -= 0.037f) {
    const double exact = std::exp((static_cast<double>(logit) - 3) / 0.9) * 0x1p40;
    const auto weight = static_cast<double>(token_weight(logit, 3, 0.9));
    CHECK(std::abs(weight - exact) <= 0.51);
  }
  CHECK(token_weight(3, 3, 0.9) == TokenWeight{1} << 40);
  for (const float logit : {-30.0f, -1e30f}) CHECK(token_weight(logit, 3, 0.9) == 0);
  CHECK(token_weight(0, 0, 1e-310) == TokenWeight{1} << 40);
  CHECK(token_weight(-1e-30f, 0, 1e-310) == 0);
}

TEST_CASE("sampling: every device draws what the definition says") {
  constexpr std::int64_t kRows = 2;
  for (const Device device : test_devices()) {
    CAPTURE(device.str());
    std::int32_t position = 0;
    for (const std::int64_t vocabulary : {1, 2, 61, 1031}) {
      Logits logits = random_logits(kRows * vocabulary, static_cast<std::uint64_t>(vocabulary));
      std::fill_n(logits.begin(), vocabulary, -0.5f);  // the first row's are all equal
      for (const double temperature : {0.0, 1e-310, 0.4, 1.0}) {
        for (const std::int64_t top_k : {0, 1, 7, 2000}) {
          for (const double top_p : {1.0, 0.7, 1e-9}) {
            const SamplingOptions options = options_of(temperature, top_k, top_p);
            CAPTURE(vocabulary);
            CAPTURE(temperature);
            CAPTURE(top_k);
            CAPTURE(top_p);
            const Ids tokens = draw(logits, kRows, options, device, position);
            for (std::int64_t r = 0; r < kRows; ++r, ++position) {
              const auto first = logits.begin() + r * vocabulary;
              CHECK(tokens[r] == defined_draw(Logits(first, first + vocabulary), options,
                                              static_cast<std::uint64_t>(r), position));
            }
          }
        }
      }
    }
  }
}

TEST_CASE("sampling: a row does not notice the others, damaged ones either") {
  constexpr std::int64_t kRows = 64, kVocabulary = 90;
  const Logits logits = random_logits(kRows * kVocabulary, 3);
  const SamplingOptions options = options_of(1, 40, 0.95);
  for (const Device device : test_devices()) {
    CAPTURE(device.str());
    const Ids tokens = draw(logits, kRows, options, device);
    for (const std::int64_t row : {0, 1, 40, 63}) {
      Logits alone(logits.size(), std::nanf(""));
      std::copy_n(logits.begin() + row * kVocabulary, kVocabulary,
                  alone.begin() + row * kVocabulary);
      Ids expected(kRows, -1);
      expected[row] = tokens[row];
      CHECK(draw(alone, kRows, options, device) == expected);
    }
  }
}

TEST_CASE("sampling: a logit that is not finite is refused, wherever it stands") {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const Device device : test_devices()) {
    CAPTURE(device.str());
    for (const double temperature : {0.0, 1.0}) {
      for (const float damage : {std::nanf(""), -std::nanf(""), kInfinity, -kInfinity}) {
        for (const std::size_t at : {0u, 69u}) {
          Logits logits(70, 1);
          logits[at] = damage;
          CHECK(draw(logits, 1, options_of(temperature, 0, 1), device) == Ids{-1});
        }
      }
    }
  }
  const Ids drawn{7, 0, 0, 1};
  CHECK(checked_draw(drawn.data(), 2, 0) == 7);
  CHECK_THROWS_WITH_AS(
      checked_draw(drawn.data(), 2, 1),
      "sample: expected finite logits, given NaN or infinity; the model may be damaged", Error);
}

TEST_CASE("sampling: options and shapes that make no sense are refused by name") {
  CHECK_THROWS_WITH_AS(options_of(-1, 0, 1).check(), doctest::Contains("temperature"), Error);
  CHECK_THROWS_WITH_AS(options_of(1, 0, 0).check(), doctest::Contains("top_p"), Error);
  CHECK_THROWS_WITH_AS(options_of(1, -2, 1).check(), doctest::Contains("top_k"), Error);
  const Tensor logits = Tensor::zeros({2, 5}), positions = Tensor::zeros({3}, DType::i32);
  const Tensor drawn = Tensor::zeros({2, 2}, DType::i32), two = positions.slice(0, 2);
  const SamplingOptions options;
  const DrawSettings of_two = draw_settings(std::vector<Draw>(2, {&options}), {}),
                     of_three = draw_settings(std::vector<Draw>(3, {&options}), {});
  CHECK_THROWS_WITH_AS(
      sample(logits, of_three, two, drawn),
      "sample: expected temperatures and top_p f64 [2, 2], given f64 [2, 3] on cpu", Error);
  CHECK_THROWS_WITH_AS(sample(logits, {of_two.reals, {}}, two, drawn),
                       "sample: expected top_k, seeds and texts i32 [4, 2], given none", Error);
  CHECK_THROWS_WITH_AS(sample(logits, of_two, positions, drawn),
                       "sample: expected positions i32 [2], given i32 [3] on cpu", Error);
  CHECK_THROWS_WITH_AS(sample(logits, of_two, two, positions),
                       "sample: expected room for what is drawn, i32 [2, 2], given i32 [3] on cpu",
                       Error);
  CHECK_THROWS_WITH_AS(sample(Tensor::zeros({3, 0}), of_three, positions, drawn),
                       doctest::Contains("of 1 to 4194304 tokens, given f32 [3, 0]"), Error);
}

TEST_CASE("sampling: rows of different options are drawn as they are alone") {
  constexpr std::int64_t kRows = 40, kVocabulary = 90;
  const Logits logits = random_logits(kRows * kVocabulary, 5);
  std::vector<SamplingOptions> options;
  for (const double temperature : {0.0, 0.7, 1.0, 3.0}) {
    for (const double top_p : {1.0, 0.4}) {
      for (const std::int64_t top_k : {0, 3, 1000}) {
        options.push_back(options_of(temperature, top_k, top_p));
        options.back().seed = 0x8000'0000'8000'0001u * options.size();
      }
    }
  }
  for (const Device device : test_devices()) {
    std::vector<Draw> draws;
    Ids positions, alone;
    for (std::int64_t row = 0; row < kRows; ++row) {
      draws.push_back({&options[row % options.size()], static_cast<std::int32_t>(row - 3)});
      positions.push_back(static_cast<std::int32_t>(7 * row));
      const Tensor drawn = Tensor::empty({2, 1}, DType::i32, device);
      const auto begin = logits.begin() + row * kVocabulary;
      sample(Tensor::from(Logits(begin, begin + kVocabulary), {1, kVocabulary}, device),
             draw_settings({draws.back()}, device), Tensor::from(Ids{positions.back()}, device),
             drawn);
      alone.push_back(drawn.values<std::int32_t>().front());
    }
    const Tensor drawn = Tensor::empty({2, kRows}, DType::i32, device);
    sample(Tensor::from(logits, {kRows, kVocabulary}, device), draw_settings(draws, device),
           Tensor::from(positions, device), drawn);
    Ids together = drawn.values<std::int32_t>();
    together.resize(kRows);
    CHECK(together == alone);
  }
}

TEST_CASE("CUDA emulator: a draw is one kernel of few passes that the host takes no part in") {
  emulator::Emulator* emulator = emulator::find();
  if (emulator == nullptr) return skip_emulator();
  constexpr std::int64_t kVocabulary = 50257, kPass = (kVocabulary + 1023) / 1024;
  const Device cuda{DeviceKind::cuda, 0};
  Random random(1);
  Logits values(kVocabulary);
  for (float& value : values) value = static_cast<float>(3 * random.normal());
  const Tensor logits = Tensor::from(values, {1, kVocabulary}, cuda);
  const Tensor positions = Tensor::zeros({1}, DType::i32, cuda);
  const Tensor drawn = Tensor::zeros({2, 1}, DType::i32, cuda);
  const auto check_passes = [&](const SamplingOptions& options, std::int64_t passes) {
    const DrawSettings settings = draw_settings({{&options}}, cuda);
    const emulator::Counts counts = emulator->counted([&] {
      on(cuda, [&](auto exec) { kernels::sample(exec, {logits, settings, positions, drawn}); });
    });
    CAPTURE(counts.str());
    CHECK(counts.launches == 1);
    CHECK(counts.host_waits + counts.copies_to_device + counts.copies_to_host == 0);
    if (!emulator::kCountsAccesses) return skip_accesses();
    check_serial_accesses(counts,
                          static_cast<std::uint64_t>(passes * kPass + 16));  // settings, too
  };
  check_passes(options_of(0, 0, 1), 1);
  check_passes(options_of(1, 0, 1), 2);
  check_passes(options_of(1, 50, 1), 5);
  check_passes(options_of(1, 0, 0.9), 5);
  check_passes(options_of(1, 50, 0.9), 8);
}

TEST_CASE("CUDA emulator: tokens are the same in 20 orders of threads") {
  emulator::Emulator* emulator = emulator::find();
  if (emulator == nullptr) return skip_emulator();
  constexpr std::int64_t kRows = 2;
  const Device cuda{DeviceKind::cuda, 0};
  const Logits logits = random_logits(kRows * 700, 8);
  const SamplingOptions options = options_of(2, 300, 0.8);
  const Ids expected = draw(logits, kRows, options, {});
  for_orders(*emulator, kFewerOrders,
             [&](std::uint64_t) { CHECK(draw(logits, kRows, options, cuda) == expected); });
}
