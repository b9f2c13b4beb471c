// The engine: whatever runs beside a text, joins, leaves or is cancelled, what comes out for it is what comes out when it
// is alone, to the last bit.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "decode/beam.h"
#include "decode/engine.h"
#include "decode/forced_text.h"
#include "decode/loops.h"
#include "decode/sampled_texts.h"
#include "models/gpt.h"
#include "tests/decode/decode_models.h"
#include "tests/devices.h"

using namespace kette;
using namespace kette::testing;

namespace {

/// What is told of a text.
struct Told {
  std::vector<Hypothesis> results;
  std::map<std::int64_t, Ids> tokens;  // of draws, of each copy
  std::string error;

  bool operator==(const Told& other) const {
    const auto same = [](const Hypothesis& a, const Hypothesis& b) {
      return a.tokens == b.tokens && a.log_probability == b.log_probability && a.score == b.score &&
             a.token_log_probabilities == b.token_log_probabilities;
    };
    return error == other.error && tokens == other.tokens &&
           std::equal(results.begin(), results.end(), other.results.begin(), other.results.end(),
                      same);
  }
};

/// Of a kind of texts, request `number`; told: where it is to be told.
using Make = std::function<Request(std::int64_t number, Told& told)>;

void hear(Request& request, Told& told) {
  request.done = [&told](std::vector<Hypothesis> results) { told.results = std::move(results); };
  request.failed = [&told](const std::exception_ptr& error) {
    try {
      std::rethrow_exception(error);
    } catch (const std::exception& e) {
      told.error = e.what();
    }
  };
}

OnToken tokens_into(Told& told) {
  return [&told](std::int64_t copy, std::int32_t token) {
    told.tokens[copy].push_back(token);
    return true;
  };
}

Told alone(const Ensemble& model, const Make& make, std::int64_t number) {
  Told told;
  Engine engine(model);
  engine.add(make(number, told));
  while (engine.step()) continue;
  CHECK(engine.texts() == 0);
  CHECK(engine.cost() == 0);
  return told;
}

/// Texts that come and go at random, some of which are cancelled.
void check_schedule(const Ensemble& model, const Make& make, const std::vector<Told>& expected,
                    std::uint64_t seed, bool always_records) {
  Random random(seed, 5);
  EngineOptions options;
  options.prompt_part = 1 + random.below(9);
  options.always_records = always_records;
  options.keep_prompts = static_cast<std::int64_t>(seed % 5);
  Engine engine(model, options);
  const std::int64_t count = std::ssize(expected);
  std::vector<Told> told(expected.size()), unwanted(expected.size());
  std::vector<std::int64_t> order(expected.size()), to_cancel;
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i-- > 1;) {
    std::swap(order[i], order[static_cast<std::size_t>(random.below(std::ssize(order)))]);
  }
  const int threads = omp_get_max_threads();
  for (std::size_t next = 0; next < order.size() || engine.texts() > 0;) {
    for (std::int64_t more = random.below(4); more > 0 && next < order.size(); --more) {
      const std::int64_t number = order[next++];
      engine.add(make(number, told[number]));
      if (random.below(3) > 0) continue;
      Request other = make(number, unwanted[number]);
      other.number = count + number;
      engine.add(std::move(other));
      to_cancel.push_back(count + number);
    }
    omp_set_num_threads(static_cast<int>(1 + random.below(2)));
    engine.step();
    if (!to_cancel.empty() && random.below(2) == 0) {
      engine.cancel(to_cancel.back());
      CHECK_FALSE(engine.cancel(to_cancel.back()));
      to_cancel.pop_back();
    }
  }
  omp_set_num_threads(threads);
  CHECK(engine.cost() == 0);
  CHECK_FALSE(engine.step());
  for (std::int64_t number = 0; number < count; ++number) {
    CAPTURE(number);
    CHECK(told[number] == expected[number]);
  }
}

/// Texts of each kind on a CPU; fewer elsewhere, which may be an emulator.
std::int64_t texts_for(Device device, std::int64_t on_cpu) {
  return device.kind == DeviceKind::cpu ? on_cpu : 7;
}

void check_schedules(const Ensemble& model, const Make& make, std::int64_t count) {
  const std::uint64_t seeds = model.device().kind == DeviceKind::cpu ? 8 : 2;
  std::vector<Told> expected;
  for (std::int64_t number = 0; number < count; ++number) {
    expected.push_back(alone(model, make, number));
  }
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    CAPTURE(seed);
    check_schedule(model, make, expected, seed, seed % 2 == 0);
  }
}

/// Beams of every kind, draws and given texts, with constraints and shortlists.
class Translations {
 public:
  explicit Translations(const Ensemble& model, std::int64_t count)
      : takes_shortlists_(model.device().kind == DeviceKind::cpu),
        special_(model.special()),
        sources_(random_sentences(count, model.vocabulary(), 12)),
        targets_(random_sentences(count, model.vocabulary(), 7, 9)),
        prefixes_(random_sentences(count, model.vocabulary(), 4, 11)),
        vocabulary_(model.vocabulary()) {}

  Request operator()(std::int64_t number, Told& told) const {
    Request request{number, sources_[number], {special_.begin}};
    request.source.push_back(special_.end);
    request.banned = banned_in_translations(special_, number % 2 == 0);
    hear(request, told);
    SearchOptions search;
    search.beam = 1 + number % 5;
    search.n_best = 1 + number % search.beam;
    search.kind = number % 3 == 0 ? BeamKind::full : BeamKind::narrowing;
    const std::int64_t longest = 4 + number % 9;
    switch (number % 7) {
      case 0:
      case 1:
        break;
      case 2:
        request.constraint = std::make_shared<Prefix>(prefixes_[number]);
        break;
      case 3:
        request.constraint = std::make_shared<NoLoop>(targets_[number], vocabulary_);
        break;
      case 4:
        if (!takes_shortlists_) break;
        for (std::int32_t token = 0; token < 200; ++token) request.shortlist.push_back(token);
        break;
      case 5: {
        SampledTexts::Options draws{{0.5 + 0.1 * static_cast<double>(number), number % 20, 0.9},
                                    1 + number % 4,
                                    longest,
                                    special_.end,
                                    number};
        draws.sampling.seed = 3 + static_cast<std::uint64_t>(number);
        draws.scores = number % 2 == 0;
        if (draws.scores) draws.given = prefixes_[number];
        request.policy = std::make_unique<SampledTexts>(draws, tokens_into(told));
        return request;
      }
      default:
        request.policy = std::make_unique<ForcedText>(targets_[number], special_.end);
        return request;
    }
    request.policy = std::make_unique<Beam>(search, longest, special_.end);
    return request;
  }

 private:
  bool takes_shortlists_;
  SpecialTokens special_;
  std::vector<Ids> sources_, targets_, prefixes_;
  std::int64_t vocabulary_;
};

/// Texts of a language model, some longer than it sees at once.
class Continued {
 public:
  Continued(const Ensemble& model, std::int64_t count, bool are_all_draws)
      : are_all_draws_(are_all_draws),
        positions_(model.positions()),
        prompts_(random_sentences(count, model.vocabulary(), 2 * model.positions(), 13)) {
    for (std::size_t i = 1; i < prompts_.size(); i += 2) {  // begins like the one before it
      prompts_[i].insert(prompts_[i].begin(), prompts_[i - 1].begin(), prompts_[i - 1].end());
    }
  }

  Request operator()(std::int64_t number, Told& told) const {
    Request request{number, {}, prompts_[number]};
    hear(request, told);
    const std::int64_t room = positions_ - std::ssize(request.prompt);
    if (!are_all_draws_ && number % 3 == 0 && room > 0) {
      SearchOptions search;
      search.beam = 1 + number % 4;
      search.cut_off = true;
      request.policy = std::make_unique<Beam>(search, std::min<std::int64_t>(room, 6), -1);
      return request;
    }
    SampledTexts::Options draws{{1.2}, 1 + number % 3, 3 + number % 40, 7, number};
    request.policy = std::make_unique<SampledTexts>(draws, tokens_into(told));
    return request;
  }

 private:
  bool are_all_draws_;
  std::int64_t positions_;
  std::vector<Ids> prompts_;
};

std::unique_ptr<Gpt> random_gpt(GptConfig config, std::int64_t context) {
  config.context = context;
  auto model = std::make_unique<Gpt>(config);
  model->materialize(3);
  vary_vectors<float>(model->parameters(), 3);
  return model;
}

}  // namespace

TEST_CASE("engine: a translation is the same alone and in any company") {
  const auto model = random_model(small_config());
  const auto other = random_model(small_config(NormOrder::pre), 2);
  for (const Device device : test_devices()) {
    const auto there = moved(*model, device), beside = moved(*other, device);
    const Ensemble one = Ensemble(*there).for_decoding(),
                   two = Ensemble({there.get(), beside.get()}).for_decoding();
    for (const Ensemble* ready : {&one, &two}) {
      const std::int64_t texts = texts_for(device, 28);
      check_schedules(*ready, Translations(*ready, texts), texts);
    }
  }
}

TEST_CASE("engine: what goes on from a prompt is the same alone and in any company") {
  for (const auto& named : small_gpts()) {
    CAPTURE(named.first);
    const auto model = random_gpt(named.second, 24);
    for (const Device device : test_devices()) {
      const auto there = moved(*model, device);
      const Ensemble ready = Ensemble(*there).for_decoding();
      const std::int64_t texts = texts_for(device, 14);
      for (const bool are_all_draws : {false, true}) {
        check_schedules(ready, Continued(ready, texts, are_all_draws), texts);
      }
    }
  }
}

TEST_CASE("engine: the error of a text is its own") {
  const OneThread quick;
  /// Fails after some tokens.
  class Failing final : public Constraint {
   public:
    Choice after(std::span<const std::int32_t> tokens) const override {
      KETTE_CHECK(tokens.size() < 3, "a constraint that is out of order");
      return {};
    }
  };
  const auto model = random_model(small_config());
  const Ensemble ready = Ensemble(*model).for_decoding();
  const std::vector<Ids> sources = random_sentences(9, 611, 12);
  const auto failing = std::make_shared<Failing>();
  const auto request = [&](std::int64_t number, Told& told, bool may_fail) {
    Request made{number, sources[number], {2}};
    made.source.push_back(3);
    made.policy = std::make_unique<Beam>(SearchOptions{}, 9, 3);
    if (may_fail && number == 5) made.constraint = failing;
    hear(made, told);
    return made;
  };
  std::vector<Told> told(9);
  Engine engine(ready);
  for (std::int64_t number = 0; number < 9; ++number) {
    engine.add(request(number, told[number], true));
  }
  while (engine.step()) continue;
  for (std::int64_t number = 0; number < 9; ++number) {
    if (number == 5) {
      CHECK(told[5].results.empty());
      CHECK(told[5].error == "a constraint that is out of order");
      continue;
    }
    const Make free = [&](std::int64_t n, Told& its) { return request(n, its, false); };
    CHECK(told[number] == alone(ready, free, number));
  }

  // Nobody who hears of it: step() throws, and the others go on.
  Told unheard, other;
  Request failed = request(5, unheard, true);
  failed.failed = {};
  engine.add(std::move(failed));
  engine.add(request(6, other, true));
  CHECK_THROWS_WITH_AS(
      [&] {
        while (engine.step()) continue;
      }(),
      "a constraint that is out of order", Error);
  while (engine.step()) continue;
  CHECK(other == told[6]);
  CHECK(engine.texts() == 0);
}

TEST_CASE("engine: an error that is of no one text is everybody's, and the engine goes on") {
  const OneThread quick;
  const auto model = random_model(small_config());
  const Ensemble ready = Ensemble(*model).for_decoding();
  /// Fails in one pass, as one does for which there is no memory.
  class Breaks final : public Tap {
   public:
    bool wants(const std::string& name) const override { return left-- <= 0 && !name.empty(); }
    Variable at(const std::string&, const Variable&) override {
      left = 1 << 30;
      throw Error("out of memory");
    }
    mutable std::int64_t left = 200;
  };
  Breaks breaks;
  EngineOptions options;
  options.tap = &breaks;
  Engine engine(ready, options);
  const Translations texts(ready, 14);
  std::vector<Told> told(14);
  for (std::int64_t number = 0; number < 14; ++number) engine.add(texts(number, told[number]));
  while (engine.step()) continue;
  std::int64_t failed = 0;
  for (const Told& one : told) failed += one.error == "out of memory";
  CHECK(failed > 0);
  Told anew;
  engine.add(texts(0, anew));
  while (engine.step()) continue;
  CHECK(anew == alone(
                    ready, [&](std::int64_t n, Told& its) { return texts(n, its); }, 0));
}

TEST_CASE("engine: what makes no sense is refused when it is asked for") {
  const auto model = random_model(small_config());
  const Ensemble ready = Ensemble(*model).for_decoding();
  Engine engine(ready);
  const auto request = [&](const Ids& source, const Ids& prompt) {
    Request made{0, source, prompt};
    made.policy = std::make_unique<SampledTexts>(SampledTexts::Options{{}, 1, 5, 3});
    made.done = [](const std::vector<Hypothesis>&) {};
    return made;
  };
  CHECK_THROWS_WITH(
      engine.add(request({}, {2})),
      "decoder: expected a source, with its end mark, for each row, given none for one");
  CHECK_THROWS_WITH(engine.add(request({4, 3}, {})),
                    "generate: expected texts that begin with a token, given none");
  CHECK_THROWS_WITH(engine.add(request({4, 611, 3}, {2})),
                    "decoder: expected tokens below 611, the vocabulary, given 611 in a source");
  CHECK_THROWS_WITH(engine.add(request({4, 3}, {-1})),
                    "decoder: expected tokens below 611, the vocabulary, given -1 in a text");
  CHECK_THROWS_WITH(engine.add(request(Ids(81, 4), {2})),
                    "decoder: expected a source of at most 80 tokens, as many as the model sees at "
                    "once, given 81");
  Request constrained = request({4, 3}, {2});
  constrained.constraint = std::make_shared<Prefix>(Ids{4});
  CHECK_THROWS_WITH(
      engine.add(std::move(constrained)),
      "decoder: expected constraint and shortlist beside a search, given one without");
  CHECK_FALSE(engine.step());
  CHECK_FALSE(engine.cancel(0));
  // No room for what two rows go on with: one error of the text, and the engine goes on.
  Told told;
  Request long_one = request({4, 3}, Ids(79, 5));
  long_one.policy = std::make_unique<SampledTexts>(SampledTexts::Options{{}, 2, 9, -1});
  hear(long_one, told);
  engine.add(std::move(long_one));
  while (engine.step()) continue;
  CHECK(told.error == "decoder: expected at most 80 tokens in a row, given one more");
  CHECK(engine.texts() == 0);
  // One that is to have no tokens is done with the next step.
  Request none = request({4, 3}, {2});
  none.policy = std::make_unique<SampledTexts>(SampledTexts::Options{{}, 2, 0, 3});
  std::int64_t copies = 0;
  none.done = [&](const std::vector<Hypothesis>& results) { copies = std::ssize(results); };
  engine.add(std::move(none));
  CHECK(engine.step());
  CHECK(copies == 2);
  CHECK_FALSE(engine.step());
}
