// The log-probability that a text gets while it is sampled is that of the same text when it is given,
// to the last bit.
#include <doctest/doctest.h>

#include <limits>

#include "decode/beam.h"
#include "decode/engine.h"
#include "decode/forced_text.h"
#include "decode/sampled_texts.h"
#include "tests/decode/decode_models.h"
#include "tests/devices.h"

using namespace kette;
using namespace kette::testing;

namespace {

const Ids kSource = {4, 9, 17, 6, 3};

Request request_of(std::unique_ptr<Policy> policy, const Ids& given = {}) {
  Request request{0, kSource, {2}};
  request.prompt.insert(request.prompt.end(), given.begin(), given.end());
  request.policy = std::move(policy);
  request.banned = {0, 1, 2};
  return request;
}

/// All at once.
std::vector<std::vector<Hypothesis>> results_of(const Ensemble& model,
                                                std::vector<Request> requests,
                                                const EngineOptions& options = {}) {
  std::vector<std::vector<Hypothesis>> results(requests.size());
  Engine engine(model, options);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    requests[i].number = static_cast<std::int64_t>(i);
    requests[i].done = [&results, i](std::vector<Hypothesis> found) {
      results[i] = std::move(found);
    };
    engine.add(std::move(requests[i]));
  }
  while (engine.step()) continue;
  return results;
}

double log_probability(const Ensemble& model, const Ids& text) {
  std::vector<Request> requests;
  requests.push_back(request_of(std::make_unique<ForcedText>(text, 3)));
  return results_of(model, std::move(requests)).front().front().log_probability;
}

TransformerConfig few_words(NormOrder norm) {
  TransformerConfig config = small_config(norm);
  config.vocabulary = 23;  // so that some texts end before their limit
  return config;
}

}  // namespace

TEST_CASE("sampled scores: those of the same texts as given ones, whatever is drawn beside them") {
  const OneThread quick;
  const auto model = random_model(few_words(NormOrder::post));
  const auto other = random_model(few_words(NormOrder::pre), 2);
  std::vector<SampledTexts::Options> all;
  for (const Ids& given : {Ids{}, Ids{7, 5, 20}, Ids{9}}) {
    for (const std::int64_t max_tokens : {0, 1, 12}) {
      SampledTexts::Options options{{1.5}, 3, max_tokens, 3, std::ssize(all)};
      if (max_tokens == 1) options.sampling = {0};  // the likeliest
      options.given = given;
      options.scores = true;
      all.push_back(options);
    }
  }
  for (const Device device : test_devices()) {
    const auto there = moved(*model, device), beside = moved(*other, device);
    const Ensemble one = Ensemble(*there).for_decoding(),
                   two = Ensemble({there.get(), beside.get()}).for_decoding();
    for (const Ensemble* ready : {&one, &two}) {
      for (const bool always_records : {false, true}) {
        std::vector<Request> requests;
        for (const SampledTexts::Options& options : all) {
          requests.push_back(request_of(std::make_unique<SampledTexts>(options)));
          SampledTexts::Options plain = options;  // without scores, the given tokens in the prompt
          plain.given.clear();
          plain.scores = false;
          requests.push_back(request_of(std::make_unique<SampledTexts>(plain), options.given));
          requests.push_back(request_of(std::make_unique<Beam>(SearchOptions{}, 5, 3)));
        }
        const auto results =
            results_of(*ready, std::move(requests), {.always_records = always_records});
        std::int64_t ended = 0, cut = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
          CAPTURE(i);
          const auto &scored = results[3 * i], &plain = results[3 * i + 1];
          REQUIRE(scored.size() == 3);
          REQUIRE(plain.size() == 3);
          for (std::size_t copy = 0; copy < 3; ++copy) {
            Ids expected = all[i].given;
            const Ids& drawn = plain[copy].tokens;
            expected.insert(expected.end(), drawn.begin(), drawn.end());
            CHECK(scored[copy].tokens == expected);
            CHECK(scored[copy].log_probability == log_probability(*ready, expected));
            CHECK(plain[copy].log_probability == 0);
            ++(std::ssize(drawn) == all[i].max_tokens ? cut : ended);
          }
        }
        CHECK(ended > 0);
        CHECK(cut > 0);
      }
    }
  }
}

TEST_CASE("sampled scores: a text without an end mark has those of its tokens") {
  SampledTexts policy({.sampling = {}, .copies = 1, .max_tokens = 2, .given = {7}, .scores = true});
  CHECK(policy.max_tokens() == 3);
  CHECK(policy.question(0).target == 7);
  const std::int32_t drawn = 5;
  for (const float value : {-1.0f, -2.0f, -4.0f}) {
    REQUIRE(policy.rows() == 1);
    policy.choose(std::vector<Continuations>{{{}, {&drawn, 1}, value}});
  }
  CHECK(policy.rows() == 0);
  const auto texts = policy.results();
  CHECK(texts.front().tokens == Ids{7, 5, 5});
  CHECK(texts.front().log_probability == -7);
}

TEST_CASE("sampled scores: one that is not finite is refused") {
  SampledTexts policy({.sampling = {}, .copies = 1, .max_tokens = 2, .scores = true});
  const std::int32_t drawn = 5;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK_THROWS_WITH_AS(policy.choose(std::vector<Continuations>{{{}, {&drawn, 1}, nan}}),
                       "sample: expected finite log-probabilities, given nan (the model's "
                       "activations grow beyond the numbers there are)",
                       Error);
}
