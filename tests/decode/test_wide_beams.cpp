// Beams far wider than anybody needs: the same hypotheses as by looking at everything, at a cost that
// grows with the width and not with its square.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "decode/beam.h"
#include "decode/engine.h"
#include "decode/search_limits.h"
#include "decode/translator.h"
#include "tests/decode/decode_models.h"

using namespace kette;
using namespace kette::testing;

namespace {

using Found = std::vector<Hypothesis>;

struct Choice {
  double log_probability;
  std::int64_t row;
  std::int32_t token;
};

/// Narrowing beam search for outputs of exactly `length` tokens that looks at every token of every
/// row and sorts them all.
Found search_everything(const AutoregressiveModel& model, Ids source, std::size_t beam,
                        int length) {
  source.push_back(model.special().end);
  DecoderState state(model);
  Ids excluded = banned_in_translations(model.special(), true);
  excluded.push_back(model.special().end);
  const Tensor masks = TokenMasks::pack(allowed_tokens(model.vocabulary(), excluded, nullptr), {});
  state.add({{source, {}}});
  Found live(1);
  for (int step = 0; step < length; ++step) {
    Ids inputs;
    for (const Hypothesis& one : live) inputs.push_back(one.tokens.empty() ? 2 : one.tokens.back());
    const Predictions all = predict(model.output(), state.step(inputs), model.vocabulary(),
                                    {masks, {}}, Tensor::from(Ids(inputs.size(), 3)));
    std::vector<Choice> choices;
    for (std::size_t at = 0; at < all.tokens.size(); ++at) {
      if (all.tokens[at] < 0) continue;
      const std::size_t row = at / static_cast<std::size_t>(all.count);
      choices.push_back({live[row].log_probability + double(all.values[at]),
                         static_cast<std::int64_t>(row), all.tokens[at]});
    }
    std::sort(choices.begin(), choices.end(), [](const Choice& a, const Choice& b) {
      return std::tuple(-a.log_probability, a.row, a.token) <
             std::tuple(-b.log_probability, b.row, b.token);
    });
    choices.resize(std::min(choices.size(), beam));
    Found next;
    std::vector<std::int64_t> parents;
    for (const Choice& choice : choices) {
      next.push_back(live[choice.row]);
      next.back().tokens.push_back(choice.token);
      next.back().log_probability = choice.log_probability;
      parents.push_back(choice.row);
    }
    live = std::move(next);
    state.select(parents);
  }
  return live;
}

/// A distribution over 4,000 tokens for a hypothesis, falling, as steep as one may be.
std::vector<float> falling_values(Random& random) {
  std::vector<float> values(4'000);
  const double slope = random.uniform(0.5, 3);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] =
        static_cast<float>(-slope * std::log(static_cast<double>(i) + random.uniform(1, 2)));
  }
  std::sort(values.rbegin(), values.rend());
  return values;
}

/// Continuations that a beam asks to see in the steps of a search, beside the first step.
double continuations_seen(std::int64_t width) {
  SearchOptions options;
  options.beam = width;
  options.forced_length = 4;
  Beam beam(options, 4, 3);
  Random random(1, 2);
  Ids tokens(4'000);
  std::iota(tokens.begin(), tokens.end(), 4);
  std::size_t seen = 0;
  for (int step = 0; step < options.forced_length; ++step) {
    std::vector<std::vector<float>> values;
    std::vector<Continuations> offered;
    for (std::size_t row = 0; row < beam.live().size(); ++row) {
      values.push_back(falling_values(random));
      offered.push_back({std::span(values.back()).first(32), std::span(tokens).first(32)});
      seen += 32;
    }
    for (std::size_t count = 128;; count *= 4) {
      const std::vector<std::int64_t> unsure = beam.consider(offered);
      if (unsure.empty()) break;
      for (const std::int64_t row : unsure) {
        const auto at = static_cast<std::size_t>(row);
        const std::size_t more = std::min(count, static_cast<std::size_t>(width));
        offered[at] = {std::span(values[at]).first(more), std::span(tokens).first(more)};
        seen += more;
      }
    }
    beam.advance();
  }
  return static_cast<double>(seen);
}

}  // namespace

TEST_CASE("a wide beam finds, bit for bit, what looking at every continuation finds") {
  const OneThread quick;
  const auto model = random_model(small_config(), 7);
  const auto ready = model->for_decoding();
  const Ids source{40, 6, 511, 77};
  for (const std::int64_t beam : {33, 150, 600}) {
    CAPTURE(beam);
    SearchOptions options;
    options.beam = options.n_best = beam;
    options.forced_length = 3;
    const Found found = translate_ids(*ready, {source}, options)[0];
    const Found expected = search_everything(*ready, source, static_cast<std::size_t>(beam), 3);
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      REQUIRE(found[i].tokens == expected[i].tokens);
      REQUIRE(found[i].log_probability == expected[i].log_probability);
    }
  }
}

TEST_CASE("the continuations that a beam looks at grow with its width") {
  const double few = continuations_seen(64) / 64;
  for (const std::int64_t width : {128, 512}) {
    CAPTURE(width);
    CHECK(continuations_seen(width) / static_cast<double>(width) < 1.5 * few);
  }
}

TEST_CASE("beams wider than the vocabulary or the memory are refused with the numbers") {
  const auto model = random_model(small_config());
  SearchOptions options;
  options.beam = 609;
  CHECK_NOTHROW(check_width(options, *model));
  options.allow_unknown = false;
  CHECK_THROWS_WITH_AS(
      check_width(options, *model),
      "beam: expected at most 608, as many as the model has tokens to choose from, given 609",
      Error);
  options.beam = 1'000'000'000'000;
  options.max_length = 9;
  CHECK(search_bytes(options, options.beam, *model, 20) == 1e12 * 10 * 3 * 2 * 40 * 4);
  // Rounded keys and values take half.
  const Ensemble rounded = Ensemble(*model).for_decoding({DType::f32, DType::bf16});
  CHECK(search_bytes(options, 7, rounded, 20) == 7.0 * 10 * 3 * 2 * 40 * 2);
  CHECK_THROWS_WITH_AS(
      translate_ids(*model->for_decoding(), {{4, 5}}, options),
      doctest::Contains(
          "beam or samples: expected as many as have their keys and values in the memory of"),
      Error);
}
