// Intervals and p beside sacreBLEU's from the same seeds, and the random numbers that they come from.
#include <doctest/doctest.h>

#include <cmath>

#include "data/metrics/bleu.h"
#include "data/metrics/chrf.h"
#include "data/metrics/numpy_random.h"
#include "data/metrics/significance.h"
#include "data/metrics/ter.h"
#include "tensor/error.h"
#include "tests/data/bleu_golden.h"
#include "tests/data/tiny_text.h"

namespace kette {
namespace {

using testing::bleu_golden;
using testing::contains;
using testing::golden_lines;
using testing::message_of;

TEST_CASE("random numbers equal NumPy's") {
  for (const auto& row : bleu_golden().at("random")) {
    const auto seed = row.at("seed").get<std::uint64_t>();
    CAPTURE(seed);
    for (const auto& below : row.at("below")) {
      NumpyRandom random(seed);
      for (const auto& number : below[1]) {
        CHECK(random.below(below[0].get<std::uint32_t>()) == number.get<std::uint32_t>());
      }
    }
    NumpyRandom random(seed);
    for (const auto& coin : row.at("coins")) CHECK(random.coin() == (coin == 1));
  }
}

Metric metric_named(const std::string& name) {
  return name == "BLEU" ? bleu_metric() : name == "TER" ? ter_metric() : chrf_metric();
}

TEST_CASE("intervals and p equal sacreBLEU's") {
  REQUIRE(bleu_golden().at("paired").size() == 36);
  for (const auto& row : bleu_golden().at("paired")) {
    CAPTURE(row.dump());
    testing::JsonView lines;
    for (const auto& pair : bleu_golden().at("pairs")) {
      if (pair.at("name") == row.at("pair")) lines = pair;
    }
    const std::vector<ScoreLines> references = {golden_lines(lines.at("reference"))};
    const std::string name = row.at("metric").text();
    const ScoreStatistics second(metric_named(name), golden_lines(lines.at("second")), references);
    const ScoreStatistics first(metric_named(name), golden_lines(lines.at("first")), references);
    CHECK(std::abs(second.score() - row.at("scores")[0].get<double>()) < 1e-9);
    CHECK(std::abs(first.score() - row.at("scores")[1].get<double>()) < 1e-9);
    const int draws = row.at("samples").get<int>();
    const auto seed = row.at("seed").get<std::uint64_t>();
    const SignificanceTests tests = test_significance(second, first, {draws, draws, seed});
    const bool bootstrap = row.at("test") == "bs";
    CHECK((bootstrap ? tests.bootstrap_p : tests.randomisation_p) ==
          doctest::Approx(row.at("p").get<double>()).epsilon(1e-12));
    if (!bootstrap) continue;
    const ScoreStatistics* systems[] = {&second, &first};
    for (std::size_t i = 0; i < 2; ++i) {  // sacreBLEU takes resamples in single precision
      const ScoreInterval interval = interval_of(systems[i]->resampled({draws, seed}));
      CHECK(std::abs(interval.mean - row.at("intervals")[i][0].get<double>()) < 1e-4);
      CHECK(std::abs(interval.half_width - row.at("intervals")[i][1].get<double>()) < 1e-4);
    }
  }
}

TEST_CASE("p is 1 where systems nowhere differ, and one tail of the bootstrap") {
  const ScoreLines lines = {"the cat sat on the mat", "a dog ran far away"};
  const ScoreStatistics system(bleu_metric(), lines, {lines});
  const SignificanceTests same = test_significance(system, system, {50, 50, 1});
  CHECK(same.bootstrap_p == 1);
  CHECK(same.randomisation_p == 1);
  CHECK(paired_bootstrap_p({1, 2, 3}, 2) == doctest::Approx(0.25));
  CHECK(paired_bootstrap_p({-1, -2, -3}, -0.5) == doctest::Approx(0.5));
  CHECK(paired_bootstrap_p({1, -1, 1}, 0) == doctest::Approx(0.25));
  const ScoreStatistics shorter(bleu_metric(), {lines[0]}, {{lines[0]}});
  CHECK(contains(message_of([&] { test_significance(system, shorter); }),
                 "expected as many lines of all systems, given 2 and 1"));
  CHECK_THROWS_AS(test_significance(system, system, {50, 0, 1}), Error);
  CHECK_THROWS_AS(test_significance(system, system, {0, 50, 1}), Error);
}

TEST_CASE("of several systems of a kind the bootstrap compares the means") {
  const std::vector<ScoreLines> references = {
      golden_lines(bleu_golden().at("pairs")[0].at("reference"))};
  const ScoreStatistics one(bleu_metric(), golden_lines(bleu_golden().at("pairs")[0].at("first")),
                            references);
  const ScoreStatistics other(bleu_metric(),
                              golden_lines(bleu_golden().at("pairs")[0].at("second")), references);
  const SignificanceOptions options{200, 200, 7};
  const double p = test_significance(one, other, options).bootstrap_p;
  const std::vector<ScoreStatistics> ones(2, one), others(4, other), both = {one, other},
                                                                     turned = {other, one};
  CHECK(paired_bootstrap_p(ones, others, options) == p);
  CHECK(paired_bootstrap_p(both, turned, options) == 1);
  CHECK(contains(message_of([&] { paired_bootstrap_p(ones, {}, options); }),
                 "expected at least one system of each kind"));
}

}  // namespace
}  // namespace kette
