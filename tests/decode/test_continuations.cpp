// Beam search of a language model: what goes on from a prompt.
#include <doctest/doctest.h>

#include <cmath>

#include "decode/generator.h"
#include "models/gpt.h"
#include "models/transformer.h"
#include "tests/decode/decode_models.h"

using namespace kette;
using namespace kette::testing;

namespace {

constexpr std::int64_t kVocabulary = 6;

std::unique_ptr<Gpt> tiny_gpt() {
  GptConfig config = small_gpt();
  config.vocabulary = kVocabulary;
  auto model = std::make_unique<Gpt>(config);
  model->materialize(3);
  for (const auto& leaf : model->parameters().leaves()) {
    for (std::int64_t i = 0; i < leaf->value.elements(); ++i) leaf->value.data<float>()[i] *= 8;
  }
  return model;
}

/// log P of the tokens after the prompt, by a whole pass.
double log_probability(const Gpt& model, const Ids& prompt, const Ids& tokens) {
  Ids all = prompt;
  all.insert(all.end(), tokens.begin(), tokens.end());
  Run run;
  const PackedSequences sequences(Segments::from_lengths({std::ssize(all)}));
  const auto values = log_softmax(model.logits(model.decode(Tensor::from(all), sequences, run)))
                          .value()
                          .values<float>();
  double sum = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    sum += values[(prompt.size() - 1 + i) * kVocabulary + static_cast<std::size_t>(tokens[i])];
  }
  return sum;
}

}  // namespace

TEST_CASE("continuations: a beam that holds all of them finds the likeliest text") {
  const OneThread one;
  const auto model = tiny_gpt();
  const auto ready = model->for_decoding();
  const Ids prompt = {1, 4, 2};
  ContinueOptions options;
  options.beam = 216;
  options.n_best = 4;
  options.max_tokens = 3;
  options.length_penalty = parse_length_penalty("none");
  std::vector<std::pair<double, Ids>> all;
  for (std::int32_t a = 0; a < kVocabulary; ++a) {
    for (std::int32_t b = 0; b < kVocabulary; ++b) {
      for (std::int32_t c = 0; c < kVocabulary; ++c) {
        all.emplace_back(-log_probability(*model, prompt, {a, b, c}), Ids{a, b, c});
      }
    }
  }
  std::sort(all.begin(), all.end());
  const auto found = search_continuations(*ready, prompt, options);
  REQUIRE(found.size() == 4);
  for (std::size_t i = 0; i < found.size(); ++i) {
    CHECK(found[i].tokens == all[i].second);
    CHECK(found[i].log_probability == doctest::Approx(-all[i].first).epsilon(1e-4));
  }
}

TEST_CASE("continuations: texts end with the end of text, or where they must") {
  const OneThread one;
  const auto model = tiny_gpt();
  const auto ready = model->for_decoding();
  ContinueOptions options;
  options.beam = options.n_best = 5;
  options.max_tokens = 6;
  options.end_of_text = 0;
  bool any_ended = false, any_cut = false;
  for (const char* penalty : {"none", "len:1"}) {  // for short texts, and for long ones
    options.length_penalty = parse_length_penalty(penalty);
    for (const Hypothesis& found : search_continuations(*ready, {1, 4, 2}, options)) {
      CHECK(std::find(found.tokens.begin(), found.tokens.end(), 0) == found.tokens.end());
      CHECK(found.tokens.size() <= 6);
      const bool is_cut = found.tokens.size() == 6;
      any_ended = any_ended || !is_cut;
      any_cut = any_cut || is_cut;
      Ids scored = found.tokens;
      if (!is_cut) scored.push_back(0);
      CHECK(found.log_probability ==
            doctest::Approx(log_probability(*model, {1, 4, 2}, scored)).epsilon(1e-4));
    }
  }
  CHECK(any_ended);
  CHECK(any_cut);
  options.beam = options.n_best = 1;  // greedy
  GenerateOptions greedy;
  greedy.temperature = 0;
  greedy.max_tokens = 6;
  greedy.end_of_text = 0;
  CHECK(search_continuations(*ready, {1, 4, 2}, options).front().tokens ==
        generate(*ready, {1, 4, 2}, greedy).front());
}

TEST_CASE("continuations: prompt and text must fit in what the model sees") {
  const OneThread one;
  const auto model = tiny_gpt();
  const auto ready = model->for_decoding();
  ContinueOptions options;
  options.beam = 2;
  options.max_tokens = 14;
  CHECK_THROWS_WITH_AS(
      search_continuations(*ready, {1, 4, 2}, options),
      "generate: expected prompt and text of at most 16 tokens together for a beam "
      "search, as many as the model sees at once, given 3 and 14",
      Error);
  CHECK_THROWS_AS(search_continuations(*ready, {}, options), Error);
  options.max_tokens = 0;
  CHECK_THROWS_WITH_AS(search_continuations(*ready, {1, 4, 2}, options),
                       "generate: expected a search for at least one token, given 0", Error);
}

TEST_CASE("a model made ready for decoding is a snapshot of what it was made from") {
  const OneThread one;
  const auto model = tiny_gpt();
  const auto ready = model->for_decoding();
  GenerateOptions options;
  options.max_tokens = 8;
  const auto before = generate(*ready, {1, 4, 2}, options);
  model->parameters().values().zero();
  CHECK(generate(*ready, {1, 4, 2}, options) == before);
  CHECK(generate(*model->for_decoding(), {1, 4, 2}, options) != before);
  CHECK_THROWS_WITH_AS(
      generate(*model, {1, 4, 2}, options),
      "decoding: expected a model made ready for it, given one that trains (call for_decoding())",
      Error);
}

TEST_CASE("a model that computes in bf16 decodes in f32 throughout, with its rounded weights") {
  const OneThread one;
  TransformerConfig config = small_config(NormOrder::pre);
  Transformer narrow(config), wide(config);
  narrow.materialize(3, DType::bf16);
  wide.materialize(3);
  for (const auto& leaf : wide.parameters().leaves()) {
    leaf->value.copy_from(leaf->value.to(DType::bf16).to(DType::f32));
  }
  const auto states = [](const Transformer& model) {
    const auto ready = model.for_decoding();
    DecoderState state(*ready);
    const Ids source = {40, 6, 511, 3};
    state.add({{source, {}}});
    return state.step({2}).values<float>();
  };
  CHECK(states(narrow) == states(wide));
}
