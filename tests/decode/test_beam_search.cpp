#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "decode/translator.h"
#include "tests/decode/decode_models.h"
#include "tests/support.h"

using namespace kette;
using namespace kette::testing;

namespace {

/// Seven words of which four can be said, and embeddings far enough apart that the choices differ.
TransformerConfig tiny_vocabulary() {
  TransformerConfig config = small_config();
  config.vocabulary = 7;
  return config;
}

/// Every output of up to `longest` tokens with its log-probability, by full passes of the model.
void enumerate(const Transformer& model, const Ids& source, const Ids& tokens,
               double log_probability, std::size_t longest, std::vector<Hypothesis>& all) {
  Ids inputs{2};
  inputs.insert(inputs.end(), tokens.begin(), tokens.end());
  const std::vector<float> table = full_log_probabilities(model, source, inputs);
  const float* next = table.data() + (inputs.size() - 1) * 7;
  all.push_back({tokens, log_probability + double(next[3]), 0});
  if (tokens.size() == longest) return;
  for (const std::int32_t token : {1, 4, 5, 6}) {
    Ids longer = tokens;
    longer.push_back(token);
    enumerate(model, source, longer, log_probability + double(next[token]), longest, all);
  }
}

}  // namespace

TEST_CASE(
    "with a beam as wide as the space, search finds the truly best outputs, for every penalty") {
  const OneThread quick;
  const auto model = random_model(tiny_vocabulary(), 4);
  const auto ready = model->for_decoding();
  const Ids source{4, 6, 5};
  std::vector<Hypothesis> all;
  enumerate(*model, source, {}, 0, 4, all);
  REQUIRE(all.size() == 1 + 4 + 16 + 64 + 256);
  for (const char* penalty : {"none", "len:0.5", "len:1", "len:2", "gnmt:0.6", "gnmt:3"}) {
    SearchOptions options;
    options.beam = 400;
    options.n_best = 6;
    options.max_length = 4;
    options.length_penalty = parse_length_penalty(penalty);
    for (Hypothesis& hypothesis : all) {
      hypothesis.score =
          hypothesis.log_probability /
          options.length_penalty.divisor(static_cast<std::int64_t>(hypothesis.tokens.size()) + 1);
    }
    std::sort(all.begin(), all.end(),
              [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; });
    const auto found = translate_ids(*ready, {source}, options)[0];
    REQUIRE(found.size() == 6);
    for (std::size_t i = 0; i < found.size(); ++i) {
      CHECK(found[i].tokens == all[i].tokens);
      CHECK(found[i].score == doctest::Approx(all[i].score).epsilon(1e-5));
      CHECK(found[i].log_probability == doctest::Approx(all[i].log_probability).epsilon(1e-5));
    }
  }
}

TEST_CASE("stopping early changes nothing") {
  const OneThread quick;
  const auto model = random_model(tiny_vocabulary(), 2);
  const auto ready = model->for_decoding();
  const std::vector<Ids> sources = random_sentences(40, 7, 9);
  for (const char* penalty : {"none", "len:1", "gnmt:0.6"}) {
    for (const std::int64_t n_best : {1, 3}) {
      SearchOptions options;
      options.beam = 4;
      options.n_best = n_best;
      options.extra_length = 8;
      options.length_penalty = parse_length_penalty(penalty);
      const auto early = translate_ids(*ready, sources, options);
      options.stop_early = false;
      const auto late = translate_ids(*ready, sources, options);
      for (std::size_t i = 0; i < sources.size(); ++i) {
        REQUIRE(early[i].size() == late[i].size());
        for (std::size_t k = 0; k < early[i].size(); ++k) {
          CHECK(early[i][k].tokens == late[i][k].tokens);
          CHECK(early[i][k].score == late[i][k].score);
        }
      }
    }
  }
}

TEST_CASE("a beam of one takes the likeliest token each time") {
  const OneThread quick;
  const auto model = random_model(tiny_vocabulary(), 2);
  const auto ready = model->for_decoding();
  SearchOptions options;
  options.beam = 1;
  options.extra_length = 6;
  const std::vector<Ids> sources = random_sentences(12, 7, 6);
  const auto found = translate_ids(*ready, sources, options);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    Ids tokens, inputs{2};
    while (tokens.size() < sources[i].size() + 6) {
      const std::vector<float> table = full_log_probabilities(*model, sources[i], inputs);
      const float* next = table.data() + (inputs.size() - 1) * 7;
      std::int32_t best = 1;
      for (const std::int32_t token : {3, 4, 5, 6}) best = next[token] > next[best] ? token : best;
      if (best == 3) break;
      tokens.push_back(best);
      inputs.push_back(best);
    }
    CHECK(found[i][0].tokens == tokens);
  }
}

TEST_CASE("marks are never chosen, however likely; the unknown piece only where it may be") {
  const OneThread quick;
  TransformerConfig config = tiny_vocabulary();
  config.output_bias = true;
  const auto model = random_model(config, 2);
  const SpecialTokens special = config.special;
  float* bias = model->output().bias.value().data<float>();
  for (const std::int32_t mark : {special.pad, special.begin, special.unknown}) bias[mark] = 20;
  SearchOptions options;
  options.beam = 3;
  options.extra_length = 3;
  for (const bool allow_unknown : {false, true}) {
    options.allow_unknown = allow_unknown;
    bool has_unknown = false;
    const auto found = translate_ids(*model->for_decoding(), random_sentences(5, 7, 4), options);
    for (const auto& n_best : found) {
      for (const std::int32_t token : n_best[0].tokens) {
        CHECK(token != special.pad);
        CHECK(token != special.begin);
        has_unknown |= token == special.unknown;
      }
    }
    CHECK(has_unknown == allow_unknown);
  }
}

TEST_CASE("the n best are distinct, in order, and complete; lengths are obeyed") {
  const auto model = random_model(small_config());
  const auto ready = model->for_decoding();
  const std::vector<Ids> sources = random_sentences(9, 611);
  SearchOptions options;
  options.n_best = 5;
  options.extra_length = 3;
  options.min_length = 4;  // more than the shortest source and 3
  const auto found = translate_ids(*ready, sources, options);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    REQUIRE(found[i].size() == 5);
    std::set<Ids> distinct;
    for (std::size_t k = 0; k < 5; ++k) {
      const Hypothesis& hypothesis = found[i][k];
      distinct.insert(hypothesis.tokens);
      if (k > 0) CHECK(found[i][k - 1].score >= hypothesis.score);
      CHECK(hypothesis.tokens.size() <= std::max<std::size_t>(4, sources[i].size() + 3));
      CHECK(hypothesis.tokens.size() >= 4);
      CHECK(hypothesis.score == hypothesis.log_probability / double(hypothesis.tokens.size() + 1));
      for (const std::int32_t token : hypothesis.tokens) CHECK((token == 1 || token > 3));
    }
    CHECK(distinct.size() == 5);
  }
  options.min_length = 12;
  const Ids one = {5};
  CHECK(translate_ids(*ready, {one}, options)[0][0].tokens.size() == 12);
  options.min_length = model->positions();
  CHECK_THROWS_WITH_AS(translate_ids(*ready, {one}, options),
                       doctest::Contains("min length: expected at most "), Error);
  options.min_length = 0;
  options.forced_length = 11;
  for (const auto& n_best : translate_ids(*ready, sources, options)) {
    REQUIRE(n_best.size() == 5);
    for (const Hypothesis& hypothesis : n_best) CHECK(hypothesis.tokens.size() == 11);
  }
}

TEST_CASE("unknown tokens can be forbidden") {
  const auto model = random_model(tiny_vocabulary(), 2);
  const auto ready = model->for_decoding();
  SearchOptions options;
  options.forced_length = 3;
  options.beam = options.n_best = 64;
  const auto outputs_with_unknown = [&] {
    const auto found = translate_ids(*ready, {{4, 5, 6}}, options);
    return std::count_if(found[0].begin(), found[0].end(), [](const Hypothesis& hypothesis) {
      return std::count(hypothesis.tokens.begin(), hypothesis.tokens.end(), 1) > 0;
    });
  };
  CHECK(outputs_with_unknown() == 64 - 27);  // of 4^3 outputs all but those of the 3 other tokens
  options.allow_unknown = false;
  CHECK(outputs_with_unknown() == 0);
}

TEST_CASE("options that make no sense are errors") {
  const auto error_of = [](auto change) {
    SearchOptions options;
    change(options);
    return testing::message_of([&] { options.check(); });
  };
  CHECK(error_of([](SearchOptions&) {}) == "");
  CHECK(error_of([](SearchOptions& o) { o.beam = 0; }) == "beam: expected at least 1, given 0");
  CHECK(error_of([](SearchOptions& o) { o.n_best = 6; }) ==
        "n-best: expected 1 to the beam size 5, given 6");
  CHECK(error_of([](SearchOptions& o) { o.min_length = -1; }) ==
        "min length: expected at least 0, given -1");
}

TEST_CASE("parameters of NaN are an error, not an endless search") {
  const auto model = random_model(tiny_vocabulary());
  model->token_embedding().table.value().data<float>()[0] = NAN;
  const auto ready = model->for_decoding();
  CHECK_THROWS_WITH_AS(translate_ids(*ready, {{4, 5}}),
                       doctest::Contains("do the parameters hold NaN?"), Error);
}

TEST_CASE("length penalties by name") {
  CHECK(parse_length_penalty("gnmt:0.6").divisor(7) == doctest::Approx(std::pow(2.0, 0.6)));
  CHECK(parse_length_penalty("len:2").divisor(3) == doctest::Approx(9));
  CHECK(parse_length_penalty("none").divisor(30) == 1);
  for (const char* text : {"gnmt:0.6", "len:1", "none"})
    CHECK(parse_length_penalty(text).str() == text);
  CHECK_THROWS_WITH(parse_length_penalty("wu:1"),
                    "length penalty: expected gnmt:ALPHA for ((5 + n) / 6)^ALPHA, len:ALPHA for "
                    "n^ALPHA, or none, given \"wu:1\"");
  for (const char* text : {"", "len", "gnmt", "1.0", "None"}) {
    CHECK_THROWS_AS(parse_length_penalty(text), Error);
  }
  for (const char* text : {"len:", "len:x", "len:1x", "len:-1", "gnmt:nan", "len:inf"}) {
    CHECK_THROWS_WITH_AS(parse_length_penalty(text),
                         doctest::Contains("expected a number of at least 0"), Error);
  }
}
