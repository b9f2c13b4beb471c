// Heat maps with names and numbers.
#include <doctest/doctest.h>

#include <limits>

#include "inspect/page/labelled_map.h"
#include "tensor/error.h"
#include "tests/support.h"

using namespace kette;
using testing::contains;
using testing::count_of;

TEST_CASE("a labelled map has a cell for each number, and all names") {
  const std::vector<double> values = {0, 0.25, 1, 2, -1, std::numeric_limits<double>::quiet_NaN()};
  const std::string html = labelled_map(
      {"A <map>", {"one", "two"}, {"a", "b & c", "a very long name of a column"}, values, 2, "kg"});
  CHECK(count_of(html, "<rect ") == 6);
  CHECK(count_of(html, "fill-opacity=\"0.125\"") == 1);
  CHECK(count_of(html, "fill-opacity=\"1.000\"") == 1);
  CHECK(count_of(html, "fill-opacity=\"0.000\"") == 2);  // 0, and no number
  CHECK(count_of(html, "<rect class=\"less\"") == 1);
  CHECK(count_of(html, "fill-opacity=\"0.500\"") == 2);  // 1, and -1 of the other colour
  CHECK(count_of(html, "class=\"number\"") == 6);
  CHECK(contains(html, "A &lt;map&gt;"));
  CHECK(contains(html,
                 "\xE2\x88\x92"
                 "2 <i class=\"both\"></i> 2 kg</span>"));
  CHECK(contains(html, ">b &amp; c<"));
  CHECK(contains(html, "a very long name o…"));
  CHECK(contains(html, "two, a: 2.0000"));
}

TEST_CASE("a wide map leaves its numbers to tooltips, and sizes that do not fit are an error") {
  const std::vector<double> values(50, 0.5);
  std::vector<std::string> names;
  for (int i = 0; i < 50; ++i) names.push_back("c" + std::to_string(i));
  const std::string html = labelled_map({"wide", {"row"}, names, values});
  CHECK(count_of(html, "<rect ") == 50);
  CHECK_FALSE(contains(html, "class=\"number\""));
  CHECK_THROWS_AS(labelled_map({"short", {"row", "other"}, names, values}), Error);
}
