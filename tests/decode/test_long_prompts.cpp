// Prompts that are read in parts, beside the tokens of others.
#include <doctest/doctest.h>

#include "decode/engine.h"
#include "decode/sampled_texts.h"
#include "models/gpt.h"
#include "tests/decode/decode_models.h"

using namespace kette;
using namespace kette::testing;

TEST_CASE("engine: a long prompt does not hold the others up") {
  const OneThread quick;
  GptConfig config = small_gpt();
  config.context = 400;
  Gpt model(config);
  model.materialize(3);
  const Ensemble ready = Ensemble(model).for_decoding();
  EngineOptions options;
  options.prompt_part = 20;
  Engine engine(ready, options);
  std::vector<std::int64_t> told(2);
  const auto draw = [&](std::int64_t number, std::int64_t prompt) {
    Request request{number, {}, Ids(static_cast<std::size_t>(prompt), 5)};
    request.done = [](const std::vector<Hypothesis>&) {};
    request.policy = std::make_unique<SampledTexts>(
        SampledTexts::Options{{}, 1, 100, -1, number},
        [&told, number](std::int64_t, std::int32_t) { return ++told[number] > 0; });
    return request;
  };
  engine.add(draw(0, 3));
  engine.step();
  engine.add(draw(1, 201));
  for (int step = 0; step < 10; ++step) {
    CHECK(told[1] == 0);
    engine.step();
    CHECK(told[0] == step + 2);
  }
  CHECK(told[1] == 1);
}
