// What a search may choose, and what is drawn: prefixes, masks, brackets that balance, samples.
#include <doctest/doctest.h>

#include <utility>

#include "decode/engine.h"
#include "decode/scorer.h"
#include "decode/translator.h"
#include "tests/decode/decode_models.h"

using namespace kette;
using namespace kette::testing;

namespace {

bool begins_with(const Ids& tokens, const Ids& prefix) {
  return tokens.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), tokens.begin());
}

constexpr std::int32_t kEnd = 3;

/// Token 4 opens, 5 closes, of the others only 6 to 9; a text may end when all is closed.
/// No text is still open at its twelfth token, where the search below ends.
class Balanced final : public Constraint {
 public:
  explicit Balanced(std::int64_t vocabulary) : vocabulary_(static_cast<std::size_t>(vocabulary)) {}
  std::vector<std::vector<bool>> masks() const override {
    std::vector<bool> open(vocabulary_), inside(vocabulary_);
    for (const std::size_t token : {4, 6, 7, 8, 9}) open[token] = inside[token] = true;
    inside[5] = true;
    return {open, inside};
  }
  Choice after(std::span<const std::int32_t> tokens) const override {
    const auto depth =
        std::count(tokens.begin(), tokens.end(), 4) - std::count(tokens.begin(), tokens.end(), 5);
    if (tokens.empty()) return {.forced = 4};
    if (depth > 0 && tokens.size() + static_cast<std::size_t>(depth) >= 11) return {.forced = 5};
    if (depth == 0 && tokens.size() >= 10) return {.forced = kEnd};
    return {.mask = depth > 0 ? 1 : 0, .may_end = depth == 0};
  }

 private:
  std::size_t vocabulary_;
};

/// As SearchOptions::min_length.
class LongEnough final : public Constraint {
 public:
  explicit LongEnough(std::size_t least) : least_(least) {}
  Choice after(std::span<const std::int32_t> tokens) const override {
    return {.may_end = tokens.size() >= least_};
  }

 private:
  std::size_t least_;
};

std::vector<Hypothesis> n_best_of(const AutoregressiveModel& ready, const Constraint* constraint,
                                  const SearchOptions& options, const Ids& source) {
  std::vector<Hypothesis> found;
  Request request{0, source, {ready.special().begin}};
  request.policy = std::make_unique<Beam>(options, 12, ready.special().end);
  request.banned = banned_in_translations(ready.special(), true);
  request.constraint = {std::shared_ptr<const Constraint>(), constraint};
  request.done = [&](std::vector<Hypothesis> n_best) { found = std::move(n_best); };
  Engine engine(ready);
  engine.add(std::move(request));
  while (engine.step()) {
  }
  return found;
}

}  // namespace

TEST_CASE("a prefix begins every hypothesis, and counts as scoring counts it") {
  const OneThread quick;
  const auto model = random_model(small_config());
  const auto ready = model->for_decoding();
  const std::vector<Ids> sources = random_sentences(4, 611, 8);
  const std::vector<Ids> prefixes = {{77, 5, 600}, {}, {9}, Ids(40, 11)};
  SearchOptions options;
  options.beam = options.n_best = 3;
  const auto free = translate_ids(*ready, sources, options);
  const auto found = translate_ids(*ready, with_prefixes(sources, prefixes), options);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    CAPTURE(i);
    REQUIRE(found[i].size() == 3);
    for (const Hypothesis& hypothesis : found[i]) {
      CHECK(begins_with(hypothesis.tokens, prefixes[i]));
      const auto score = score_ids(*ready, {sources[i]}, {hypothesis.tokens}).front();
      CHECK(hypothesis.log_probability == doctest::Approx(score.log_probability).epsilon(1e-6));
    }
  }
  CHECK(found[1].front().tokens == free[1].front().tokens);
  CHECK(found[0].front().tokens != free[0].front().tokens);
  CHECK_THROWS_WITH(translate_ids(*ready, with_prefixes({{4}}, {Ids(80, 4)}), options),
                    "translate: expected a prefix of at most 79 tokens, as many as the model has "
                    "positions for, given 80 in prefix 1");
}

TEST_CASE("a constraint is asked at every step: brackets balance") {
  const OneThread quick;
  const auto model = random_model(small_config(), 4);
  const auto ready = model->for_decoding();
  const Balanced balanced(611);
  SearchOptions options;
  options.beam = options.n_best = 6;
  const Ids source = {40, 6, 511, 3};
  const std::vector<Hypothesis> found = n_best_of(*ready, &balanced, options, source);
  REQUIRE(found.size() == 6);
  std::int64_t brackets = 0;
  for (const Hypothesis& hypothesis : found) {
    std::int64_t depth = 0;
    for (const std::int32_t token : hypothesis.tokens) {
      REQUIRE(token >= 4);
      REQUIRE(token <= 9);
      brackets += token == 4;
      depth += token == 4 ? 1 : token == 5 ? -1 : 0;
      REQUIRE(depth >= 0);
    }
    CHECK(depth == 0);
    const auto score = score_ids(*ready, {{40, 6, 511}}, {hypothesis.tokens}).front();
    CHECK(hypothesis.log_probability == doctest::Approx(score.log_probability).epsilon(1e-6));
  }
  CHECK(brackets >= 6);
}

TEST_CASE("a constraint that forbids the end is the least length") {
  const OneThread quick;
  TransformerConfig config = small_config();
  config.vocabulary = 8;
  config.output_bias = true;
  const auto model = random_model(config, 4);
  model->output().bias.value().data<float>()[kEnd] = 5;  // it would end soon
  const auto ready = model->for_decoding();
  const Constraint* constraint = nullptr;
  SearchOptions options;
  options.length_penalty = parse_length_penalty("none");
  const Ids source = {4, 6, 5, 3};
  const auto tokens = [&] { return n_best_of(*ready, constraint, options, source).front().tokens; };
  constexpr std::size_t kMost = 12;
  const Ids free = tokens();
  const LongEnough long_enough(kMost);
  constraint = &long_enough;
  const Ids constrained = tokens();
  CHECK(constrained.size() == kMost);
  CHECK(free.size() < kMost);
  constraint = nullptr;
  options.min_length = kMost;
  CHECK(constrained == tokens());

  const LongEnough too_long(kMost + 1);
  constraint = &too_long;
  for (const BeamKind kind : {BeamKind::narrowing, BeamKind::full}) {
    options.kind = kind;
    CHECK_THROWS_WITH(tokens(),
                      "beam search: expected finite log-probabilities, given none after 12 "
                      "tokens (they are the most; does a constraint forbid the end?)");
  }
}

TEST_CASE("samples depend on the seed and the sentence alone, and say how likely they are") {
  const OneThread quick;
  const auto model = random_model(small_config());
  const auto ready = model->for_decoding();
  const std::vector<Ids> sources = random_sentences(7, 611, 12);
  DecodingOptions options;
  options.sampling = SamplingOptions{};
  options.sampling->top_k = 40;
  options.search.n_best = 3;
  options.search.extra_length = 5;
  const auto drawn = translate_ids(*ready, sources, options);
  const auto apart = translate_ids(*ready, sources, options, {.batch_tokens = 20});
  for (std::size_t i = 0; i < sources.size(); ++i) {
    CAPTURE(i);
    REQUIRE(drawn[i].size() == 3);
    CHECK(drawn[i][0].tokens != drawn[i][1].tokens);
    for (std::size_t k = 0; k < 3; ++k) {
      CHECK(drawn[i][k].tokens == apart[i][k].tokens);
      CHECK(drawn[i][k].tokens.size() <= sources[i].size() + 5);
      const auto score = score_ids(*ready, {sources[i]}, {drawn[i][k].tokens}).front();
      CHECK(drawn[i][k].log_probability == score.log_probability);
      for (const std::int32_t token : drawn[i][k].tokens) CHECK((token == 1 || token > 3));
    }
  }
  options.search.n_best = 2;
  const auto fewer = translate_ids(*ready, sources, options);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    for (std::size_t k = 0; k < 2; ++k) CHECK(fewer[i][k].tokens == drawn[i][k].tokens);
  }
  options.search.n_best = 3;
  const SourceIds fourth{.ids = sources[3], .number = 3};
  const auto later = translate_ids(*ready, std::vector{fourth}, options);
  CHECK(later[0][1].tokens == drawn[3][1].tokens);
  options.sampling->seed = 2;
  CHECK(translate_ids(*ready, sources, options)[0][0].tokens != drawn[0][0].tokens);
  options.sampling->temperature = 0;  // greedy search, which the end mark alone ends
  SearchOptions greedy;
  greedy.beam = 1;
  greedy.extra_length = 5;
  const auto likeliest = translate_ids(*ready, sources, options);
  const auto searched = translate_ids(*ready, sources, greedy);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    CHECK(likeliest[i][2].tokens == searched[i][0].tokens);
  }
}

TEST_CASE("no mark is drawn, and the unknown piece only where it may be") {
  const OneThread quick;
  TransformerConfig config = small_config();
  config.vocabulary = 8;  // half of them marks
  const auto model = random_model(config);
  const auto ready = model->for_decoding();
  DecodingOptions options;
  options.sampling = SamplingOptions{};
  options.sampling->temperature = 10;
  options.search.n_best = 50;
  for (const bool allow_unknown : {true, false}) {
    options.search.allow_unknown = allow_unknown;
    const auto drawn = translate_ids(*ready, {{4, 6, 5}}, options);
    std::vector<int> counts(8);
    for (const Hypothesis& one : drawn[0]) {
      for (const std::int32_t token : one.tokens) ++counts[token];
    }
    const SpecialTokens& special = model->special();
    for (const std::int32_t mark : {special.pad, special.begin, special.end}) {
      CHECK(counts[mark] == 0);
    }
    CHECK((counts[special.unknown] > 0) == allow_unknown);
    CHECK(counts[7] > 0);
  }
}

TEST_CASE("samples go on from their prefixes") {
  const OneThread quick;
  const auto model = random_model(small_config());
  const auto ready = model->for_decoding();
  const std::vector<Ids> sources = random_sentences(3, 611, 8);
  const std::vector<Ids> prefixes = {{77, 5, 600}, {}, {9}};
  DecodingOptions options;
  options.sampling = SamplingOptions{};
  options.search.n_best = 2;
  const auto drawn = translate_ids(*ready, with_prefixes(sources, prefixes), options);
  const auto free = translate_ids(*ready, sources, options);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    for (const Hypothesis& one : drawn[i]) {
      CHECK(begins_with(one.tokens, prefixes[i]));
      CHECK(one.tokens.size() > prefixes[i].size());
      CHECK(one.log_probability ==
            score_ids(*ready, {sources[i]}, {one.tokens}).front().log_probability);
    }
  }
  CHECK(drawn[1][0].tokens == free[1][0].tokens);
  // Another constraint is refused, not passed over.
  const SourceIds constrained{.ids = sources[0], .constraint = std::make_shared<LongEnough>(3)};
  CHECK_THROWS_WITH_AS(translate_ids(*ready, std::vector{constrained}, options),
                       "constraint: expected a search, given samples", Error);
}
