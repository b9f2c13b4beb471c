// Which size and recipe a text and a time get.
#include <doctest/doctest.h>

#include "tests/support.h"
#include "train/fitted_recipe.h"

using namespace kette;
using namespace kette::testing;

namespace {

constexpr TextAmount kMulti30k{29'000, 1'900'000}, kMillion{1'000'000, 130'000'000};

double size_of(const FittedRecipe& fitted) {
  return static_cast<double>(count_parameters(fitted.model));
}

}  // namespace

TEST_CASE("fitted recipe: more time makes no smaller model, and more text no smaller vocabulary") {
  for (const TextAmount& text : {TextAmount{100, 5'000}, kMulti30k, kMillion}) {
    double before = 0;
    for (double flops = 1e9; flops < 1e20; flops *= 3) {
      const FittedRecipe fitted = fitted_recipe(text, {.flops = flops});
      fitted.model.check();
      CHECK(size_of(fitted) >= before);
      before = size_of(fitted);
      CHECK(fitted.recipe.schedule.warmup_share == 0.1);
      CHECK(fitted.recipe.batch_tokens >= 512);
      CHECK(fitted.recipe.batch_tokens <= 4096);
    }
  }
  std::int64_t pieces = 0;
  for (std::int64_t bytes = 100; bytes < std::int64_t{1} << 36; bytes *= 4) {
    const FittedRecipe fitted = fitted_recipe({bytes / 50, bytes}, {.epochs = 3});
    CHECK(fitted.model.vocabulary >= pieces);
    pieces = fitted.model.vocabulary;
  }
  CHECK(pieces == 32768);
}

TEST_CASE(
    "fitted recipe: text that is read once needs no dropout, and text that is read often does") {
  CHECK(fitted_recipe(kMillion, {.epochs = 1}).model.dropout == 0);
  CHECK(fitted_recipe(kMulti30k, {.epochs = 36}).model.dropout == 0.3);
  // A limit that comes sooner counts.
  CHECK(fitted_recipe(kMulti30k, {.epochs = 36, .flops = 1e12}).model.dropout == 0);
  CHECK(fitted_recipe(kMulti30k, {}).epochs == 35);
  CHECK(fitted_recipe(kMillion, {}).epochs == 6);
  CHECK(fitted_recipe({1, 10}, {}).epochs == 100);
}

TEST_CASE("fitted recipe: of a text its pairs and the bytes of the larger side are counted") {
  const ScratchFolder folder;
  write_file(folder / "a", "one\ntwo\n");
  write_file(folder / "b", "eins\nzwei\n");
  const ParallelText text{folder / "a", folder / "b"}, swapped{folder / "b", folder / "a"};
  const TextAmount amount = amount_of({text, swapped});
  CHECK(amount.pairs == 4);
  CHECK(amount.bytes == 20);
}
