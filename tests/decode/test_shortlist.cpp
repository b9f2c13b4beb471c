// Search among some tokens alone: with a list of all it is the ordinary search, with a short one the
// search of a model whose other logits are -infinity; alone as in company.
#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "decode/translator.h"
#include "tests/data/tiny_text.h"
#include "tests/decode/decode_models.h"
#include "tests/decode/prepacked.h"
#include "tests/devices.h"

using namespace kette;
using namespace kette::testing;

namespace {

/// About a tenth of the vocabulary, other tokens for other sources; rising.
Ids some_tokens(std::span<const std::int32_t> source) {
  Ids tokens;
  for (std::int32_t id = 4 + source.front() % 7; id < 611; id += 9) tokens.push_back(id);
  return tokens;
}

Ids all_tokens(std::span<const std::int32_t>) {
  Ids tokens(611);
  for (std::size_t i = 0; i < tokens.size(); ++i) tokens[i] = static_cast<std::int32_t>(i);
  return tokens;
}

void check_same_hypotheses(const std::vector<std::vector<Hypothesis>>& a,
                           const std::vector<std::vector<Hypothesis>>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    CAPTURE(i);
    REQUIRE(a[i].size() == b[i].size());
    for (std::size_t k = 0; k < a[i].size(); ++k) {
      CHECK(a[i][k].tokens == b[i][k].tokens);
      CHECK(a[i][k].log_probability == b[i][k].log_probability);
      CHECK(a[i][k].score == b[i][k].score);
    }
  }
}

DecodingOptions short_search() {
  DecodingOptions options;
  options.search.beam = options.search.n_best = 3;
  options.search.extra_length = 4;
  return options;
}

std::string refusal_of(const AutoregressiveModel& model, const DecodingOptions& options) {
  return message_of([&] { translate_ids(model, {{5, 6}}, options); });
}

}  // namespace

TEST_CASE("shortlist: a list of all tokens gives the ordinary search, bit for bit") {
  const OneThread quick;
  const auto model = random_model(small_config()), other = random_model(small_config(), 2);
  const Ensemble both({model.get(), other.get()});
  const std::vector<Ids> sources = random_sentences(12, 611, 9);
  for (const DType weights : {DType::f32, DType::bf16, DType::int8}) {
    CAPTURE(std::string(name_of(weights)));
    for (const Ensemble& ensemble :
         {Ensemble(*model).for_decoding(weights), both.for_decoding(weights)}) {
      for (const std::int64_t beam : {3, 70}) {  // of which the wide one asks again
        DecodingOptions options = short_search();
        options.search.beam = beam;
        const auto expected = translate_ids(ensemble, sources, options);
        options.shortlist = all_tokens;
        check_same_hypotheses(translate_ids(ensemble, sources, options), expected);
        options.shortlist = some_tokens;
        CHECK(translate_ids(ensemble, sources, options)[0][0].log_probability !=
              expected[0][0].log_probability);
      }
    }
  }
}

TEST_CASE("shortlist: the projection to some tokens has the bits of the whole one") {
  TransformerConfig config = small_config();
  config.output_bias = true;
  const auto model = random_model(config), other = random_model(config, 2);
  const Ensemble both({model.get(), other.get()});
  const Ids tokens = {0, 3, 4, 77, 78, 300, 610};
  for (const DType weights : {DType::f32, DType::bf16, DType::int8}) {
    CAPTURE(std::string(name_of(weights)));
    for (const Ensemble& ensemble :
         {Ensemble(*model).for_decoding(weights), both.for_decoding(weights)}) {
      const PrepackedWeight& whole = *ensemble.output().prepacked;
      const Tensor x = random_tensor({5, whole.in}, 8);
      const std::vector<float> all = multiply(whole, x).values<float>(),
                               some = multiply(ensemble.output_of(tokens), x).values<float>();
      REQUIRE(some.size() == 5 * tokens.size());
      for (std::size_t row = 0; row < 5; ++row) {
        for (std::size_t i = 0; i < tokens.size(); ++i) {
          CHECK(some[row * tokens.size() + i] ==
                all[row * 611 + static_cast<std::size_t>(tokens[i])]);
        }
      }
    }
  }
}

TEST_CASE("shortlist: the search is that of a model whose other logits are -infinity") {
  const OneThread quick;
  TransformerConfig config = small_config();
  config.output_bias = true;
  const auto model = random_model(config);
  const auto ready = model->for_decoding();
  const std::int32_t end = model->special().end;
  DecodingOptions options = short_search();
  options.search.allow_unknown = false;
  options.shortlist = some_tokens;
  for (const std::int64_t beam : {1, 3}) {
    options.search.beam = options.search.n_best = beam;
    for (const Ids& source : random_sentences(5, 611, 9)) {
      Ids list = some_tokens(source);
      list.push_back(end);
      // log softmax over the list after some tokens, in plain loops.
      const auto log_probabilities = [&](const Ids& tokens) {
        Ids inputs = {model->special().begin}, ended = source;
        inputs.insert(inputs.end(), tokens.begin(), tokens.end());
        ended.push_back(end);
        const std::vector<float> all = logits_of(*model, ended, inputs).values<float>();
        const float* logits = all.data() + tokens.size() * 611;
        double total = 0;
        for (const std::int32_t id : list) total += std::exp(double(logits[id]));
        std::vector<double> result(611, -INFINITY);
        for (const std::int32_t id : list) result[id] = double(logits[id]) - std::log(total);
        return result;
      };
      // The beam has its own tests; it is given what it may choose from here.
      const auto longest = static_cast<std::int64_t>(source.size()) + options.search.extra_length;
      Beam expected(options.search, longest, end);
      while (!expected.live().empty()) {
        std::vector<std::vector<float>> values;
        std::vector<Ids> tokens;
        std::vector<Continuations> offered;
        for (const Hypothesis& hypothesis : expected.live()) {
          const std::vector<double> row = log_probabilities(hypothesis.tokens);
          Ids order(list.begin(), list.end() - 1);
          std::stable_sort(order.begin(), order.end(),
                           [&](std::int32_t a, std::int32_t b) { return row[a] > row[b]; });
          std::vector<float>& falling = values.emplace_back();
          for (const std::int32_t id : order) falling.push_back(static_cast<float>(row[id]));
          tokens.push_back(order);
          offered.push_back({{}, {}, static_cast<float>(row[end])});
        }
        for (std::size_t i = 0; i < offered.size(); ++i) {
          offered[i].values = values[i];
          offered[i].tokens = tokens[i];
        }
        REQUIRE(expected.consider(offered).empty());
        expected.advance();
      }
      const std::vector<Hypothesis> found = translate_ids(*ready, {source}, options).front();
      const std::vector<Hypothesis> wanted = expected.n_best();
      REQUIRE(found.size() == wanted.size());
      for (std::size_t k = 0; k < found.size(); ++k) {
        CHECK(found[k].tokens == wanted[k].tokens);
        CHECK(found[k].log_probability == doctest::Approx(wanted[k].log_probability).epsilon(1e-5));
      }
    }
  }
}

TEST_CASE("shortlist: a sentence has the same translations alone, in company and on any threads") {
  const auto model = random_model(small_config());
  const std::vector<Ids> sources = random_sentences(30, 611, 12);
  for (const DType weights : {DType::f32, DType::bf16, DType::int8}) {
    CAPTURE(std::string(name_of(weights)));
    const auto ready = model->for_decoding(weights);
    DecodingOptions options = short_search();
    options.shortlist = some_tokens;
    const auto together = translate_ids(*ready, sources, options, {200, 1});
    for (const auto& [threads, batch] : {std::pair{2, 60}, {3, 8192}}) {
      check_same_hypotheses(translate_ids(*ready, sources, options, {batch, threads}), together);
    }
    // Of a search alone the threads share its products.
    for (std::size_t i = 0; i < sources.size(); i += 7) {
      check_same_hypotheses(translate_ids(*ready, {sources[i]}, options, {200, 2}), {together[i]});
    }
  }
}

TEST_CASE("shortlist: what a prefix has is added, and the unknown piece where it may come") {
  const OneThread quick;
  const auto model = random_model(small_config());
  const auto ready = model->for_decoding();
  DecodingOptions options = short_search();
  options.shortlist = [](auto) { return Ids{}; };
  const auto tokens_of = [&](const Ids& prefix) {
    std::set<std::int32_t> tokens;
    const auto found = translate_ids(*ready, with_prefixes({{5, 6, 7}}, {prefix}), options);
    for (const Hypothesis& one : found[0]) {
      tokens.insert(one.tokens.begin(), one.tokens.end());
      REQUIRE(one.tokens.size() >= prefix.size());
      CHECK(std::equal(prefix.begin(), prefix.end(), one.tokens.begin()));
    }
    return tokens;
  };
  CHECK(tokens_of({}) == std::set<std::int32_t>{1});
  const Ids begun_by = {600, 17};
  const std::set<std::int32_t> begun = tokens_of(begun_by);
  CHECK(begun.contains(600));
  CHECK(begun.contains(17));
  options.search.allow_unknown = false;
  CHECK(tokens_of({}).empty());
  for (const std::int32_t token : tokens_of(begun_by)) CHECK((token == 600 || token == 17));
}

TEST_CASE("shortlist: what makes no sense beside it is refused") {
  const auto model = random_model(small_config());
  const auto ready = model->for_decoding();
  DecodingOptions options = short_search();
  options.shortlist = [](auto) { return Ids{611}; };
  CHECK(contains(refusal_of(*ready, options), "expected tokens that rise from 0 to below 611"));
  options.shortlist = [](auto) { return Ids{-1}; };
  CHECK(contains(refusal_of(*ready, options), "expected tokens that rise from 0 to below 611"));
  options.shortlist = some_tokens;
  const SourceIds constrained{.ids = {5, 6}, .constraint = std::make_shared<Prefix>(Ids{})};
  CHECK(contains(message_of([&] { translate_ids(*ready, std::vector{constrained}, options); }),
                 "a shortlist or another constraint, given both"));
  options.sampling = SamplingOptions{};
  CHECK(contains(refusal_of(*ready, options), "shortlist: expected a search, given samples"));
  options.sampling.reset();
  CHECK(refusal_of(*ready, options).empty());
  for (const Device device : test_devices()) {
    if (device.kind == DeviceKind::cpu) continue;
    CHECK(contains(refusal_of(*moved(*model, device)->for_decoding(), options),
                   "shortlist: expected a model on the CPU"));
  }
}
