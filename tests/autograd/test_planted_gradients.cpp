// Gradients that are wrong on purpose: each proof of a check finds them.
#include <doctest/doctest.h>

#include "tests/autograd/planted_gradients.h"
#include "tests/gradients.h"

using namespace kette;
using namespace kette::testing;

TEST_CASE("planted gradients: in ops of every kind, found by both proofs") {
  const std::vector<PlantedGradient> all = planted_gradients();
  int by_fast = 0;
  for (const PlantedGradient& planted : all) {
    CAPTURE(planted.what);
    const GradientCheck full = check_gradients(planted.function, planted.inputs);
    INFO(full.str());
    CHECK(!full.ok());
    CHECK(!full.differences.ok());
    REQUIRE(full.adjoint);
    CHECK(!full.adjoint->ok());
    const GradientCheck fast = check_gradients(planted.function, planted.inputs, {.directions = 2});
    by_fast += !fast.ok();
    CHECK_MESSAGE(!fast.ok(), fast.str());
  }
  MESSAGE(all.size() << " planted, fast: " << by_fast);
  CHECK(all.size() >= 60);
}
