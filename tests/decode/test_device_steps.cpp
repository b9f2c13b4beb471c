// What a step of decoding asks of a GPU: the host sends what changed in one copy, reads what it needs in
// another, and of generated text only the tokens.
#include <doctest/doctest.h>

#include "decode/beam.h"
#include "decode/engine.h"
#include "decode/generator.h"
#include "models/gpt.h"
#include "tests/decode/decode_models.h"
#include "tests/devices.h"
#include "tests/emulated.h"

using namespace kette;
using namespace kette::testing;

TEST_CASE("CUDA emulator: a generated token is one graph, one copy and one wait") {
  emulator::Emulator* emulator = emulator::find();
  if (emulator == nullptr) return skip_emulator();
  const OneThread one;
  GptConfig config = small_unbiased_gpt();
  config.context = 32;
  Gpt model(config);
  model.materialize(1);
  const auto there = moved(model, test_devices().back());
  const auto ready = there->for_decoding();
  GenerateOptions options;
  options.texts = 3;
  const auto count = [&](std::int64_t tokens) {
    options.max_tokens = tokens;
    return emulator->counted([&] { generate(*ready, {5, 6}, options); });
  };
  const emulator::Counts few = count(4), many = count(14);
  CAPTURE(many.str());
  CHECK(few.graphs == 3);
  CHECK(many.graphs - few.graphs == 10);
  CHECK(many.launches - few.launches == 10);
  CHECK(many.copies_to_host - few.copies_to_host == 10);
  CHECK(many.bytes_to_host - few.bytes_to_host ==
        10 * 2 * 4 * sizeof(std::int32_t));  // 3 rows and 1 of padding
  CHECK(many.copies_to_device == few.copies_to_device);
  CHECK(many.host_waits - few.host_waits <= 10);
}

TEST_CASE("CUDA emulator: a step is recorded for 1, 2, 4 and 8 rows, whoever joins or leaves") {
  emulator::Emulator* emulator = emulator::find();
  if (emulator == nullptr) return skip_emulator();
  const OneThread one;
  const auto recordings = [&](const auto& model) {
    const auto there = moved(model, test_devices().back());
    const Ensemble ready = Ensemble(*there).for_decoding();
    Engine engine(ready);
    constexpr std::int64_t kTexts = 24;
    const emulator::Counts counts = emulator->counted([&] {
      std::int64_t number = 0;
      for (std::int64_t step = 0; number < kTexts || engine.texts() > 0; ++step) {
        if (number < kTexts && step % 3 == 0) {
          Request request{number, {}, {2}};
          if (model.has_encoder()) request.source = {5, 6, 3};
          SampledTexts::Options options{{1.2}};
          options.max_tokens = 4 + number * 5 % 11;
          options.number = number++;
          request.policy = std::make_unique<SampledTexts>(options);
          request.done = [](const std::vector<Hypothesis>&) {};
          engine.add(std::move(request));
        }
        engine.step();
      }
    });
    CHECK(counts.graphs > 2 * kTexts);
    return counts.recordings;
  };
  Gpt writer(small_unbiased_gpt());
  writer.materialize(1);
  // A few more than there are sizes, as the cache grows.
  CHECK(recordings(writer) <= 8);
  CHECK(recordings(*random_model(small_config())) <= 8);
}

TEST_CASE("CUDA emulator: a step of a beam is one copy there, one back and one wait") {
  emulator::Emulator* emulator = emulator::find();
  if (emulator == nullptr) return skip_emulator();
  const OneThread one;
  const auto model = random_model(small_config());
  const auto there = moved(*model, test_devices().back());
  const auto ready = there->for_decoding();
  SearchOptions options;
  options.beam = 3;
  const Ids source{40, 6, 511, 77, 3};
  const auto count = [&](std::int64_t tokens) {
    options.forced_length = tokens;
    return emulator->counted([&] {
      Request request{0, source, {2}};
      request.policy = std::make_unique<Beam>(options, tokens, ready->special().end);
      request.banned = banned_in_translations(ready->special(), true);
      request.done = [](const std::vector<Hypothesis>&) {};
      Engine engine(*ready);
      engine.add(std::move(request));
      while (engine.step()) {
      }
    });
  };
  const emulator::Counts few = count(4), many = count(14);
  CAPTURE(many.str());
  CHECK(many.copies_to_device - few.copies_to_device == 10);
  CHECK(many.copies_to_host - few.copies_to_host == 10);
  CHECK(many.host_waits - few.host_waits <= 10);
}
