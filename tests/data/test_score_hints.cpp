// The counts of lines and what is no hint are those of sacreBLEU 2.6 (metrics/base.py), but for references without text,
// of which it says nothing.
#include <doctest/doctest.h>

#include "data/metrics/score_hints.h"

using namespace kette;

TEST_CASE("score hints: a hundred lines that end in a full stop that stands apart") {
  ScoreLines lines(99, "a dog sleeps .");
  lines.emplace_back("a dog sleeps.");
  CHECK(score_hints(lines, {lines}, true).empty());
  lines.emplace_back("a dog sleeps . ");
  const std::vector<std::string> hints = score_hints(lines, {ScoreLines(101, "x")}, true);
  REQUIRE(hints.size() == 1);
  CHECK(hints[0].starts_with("100 translations end in a full stop that stands apart"));
  CHECK(score_hints(lines, {lines, lines}, true)[0].starts_with(
      "100 translations and 100 lines of reference 1 and 100 lines of reference 2 end in"));
  CHECK(score_hints(lines, {lines}, false).empty());
}

TEST_CASE("score hints: references without text and unknown pieces") {
  const ScoreLines translations = {"a \xE2\x81\x87 b", "c", "<unk>"};
  const std::vector<std::string> hints =
      score_hints(translations, {{"a", "b", "c"}, {"a", " \xC2\xA0", ""}}, false);
  REQUIRE(hints.size() == 2);
  CHECK(hints[0] ==
        "reference 2 is empty in 2 lines, first in 2: there it counts as a reference of no words");
  CHECK(hints[1].starts_with("2 translations with an unknown piece"));
}
