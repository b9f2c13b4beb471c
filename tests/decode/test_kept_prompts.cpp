// Prompts that begin alike share their past, and nothing else changes.
#include <doctest/doctest.h>

#include <utility>

#include "decode/engine.h"
#include "decode/sampled_texts.h"
#include "models/gpt.h"
#include "tests/decode/decode_models.h"

using namespace kette;
using namespace kette::testing;

TEST_CASE("engine: prompts that begin like a kept one read the rest alone, and the bits stay") {
  GptConfig config = small_gpts().front().second;
  config.context = 64;
  Gpt model(config);
  model.materialize(3);
  const Ensemble ready = Ensemble(model).for_decoding();
  Ids text = random_sentences(1, ready.vocabulary(), 1, 3).front();
  for (std::int32_t i = 0; i < 59; ++i) text.push_back(4 + (7 * i) % 5);
  const auto from = [&](std::size_t length, std::int32_t last) {
    Ids prompt(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(length));
    prompt.push_back(last);
    return prompt;
  };
  // Of each the tokens that are shared: with the first, none; with a prompt that is not kept any more, none.
  const std::vector<std::pair<Ids, std::int64_t>> prompts = {
      {from(20, 5), 0}, {from(30, 6), 20}, {from(30, 5), 30}, {from(25, 5), 25}, {Ids(40, 9), 0},
      {Ids(50, 8), 0},  {from(30, 6), 0},  {from(5, 6), 0},   {from(58, 4), 30}, {Ids(45, 8), 44}};
  const auto drawn = [&](Engine& engine, const Ids& prompt) {
    std::vector<Hypothesis> texts;
    Request request{0, {}, prompt};
    request.policy = std::make_unique<SampledTexts>(SampledTexts::Options{{1.0}, 2, 4, -1, 0});
    request.done = [&](std::vector<Hypothesis> results) { texts = std::move(results); };
    engine.add(std::move(request));
    while (engine.step()) {
    }
    return std::pair(texts.at(0).tokens, texts.at(1).tokens);
  };
  Engine engine(ready, {.keep_prompts = 2});
  std::int64_t shared = 0;
  for (std::int64_t number = 0; number < std::ssize(prompts); ++number) {
    CAPTURE(number);
    Engine alone(ready);
    const Ids& prompt = prompts[number].first;
    CHECK(drawn(engine, prompt) == drawn(alone, prompt));
    shared += prompts[number].second;
    CHECK(engine.shared_tokens() == shared);
  }
}
