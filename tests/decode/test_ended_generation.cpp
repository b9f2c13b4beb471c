// How a generation ends early: by an error, and by who watches its steps.
#include <doctest/doctest.h>

#include "decode/generator.h"
#include "models/gpt.h"
#include "nn/points.h"
#include "tests/devices.h"

using namespace kette;

namespace {

class Failing final : public Tap {
 public:
  bool wants(const std::string& point) const override {
    return point == points::kLogits || is_first;
  }
  Variable at(const std::string& point, const Variable&) override { fail("no ", point); }
  bool is_first = false;  // while the prompt is read, too
};

Ensemble ready_gpt() {
  Gpt model(small_gpt());
  model.materialize(4);
  return Ensemble(model).for_decoding();
}

}  // namespace

TEST_CASE("generation: what is called before each step may end it") {
  const Ensemble ready = ready_gpt();
  ContinueOptions options;
  options.beam = 2;
  options.max_tokens = 6;
  std::int64_t steps = 0;
  options.before_step = [&] { ++steps; };
  search_continuations(ready, {1, 2}, options);
  CHECK(steps >= 6);
  options.before_step = [&] { fail("enough"); };
  CHECK_THROWS_WITH_AS(search_continuations(ready, {1, 2}, options), "enough", Error);
}

TEST_CASE("generation: an error ends a text, in its first pass as well") {
  const Ensemble ready = ready_gpt();
  Failing tap;
  GenerateOptions options;
  options.max_tokens = 3;
  options.tap = &tap;
  CHECK_THROWS_WITH_AS(generate(ready, {1, 2, 3}, options), "no logits", Error);
  tap.is_first = true;
  CHECK_THROWS_WITH_AS(generate(ready, {1, 2, 3}, options), "no embedded", Error);
}
