#include <doctest/doctest.h>

#include "tensor/suggestion.h"

using namespace kette;

TEST_CASE("suggestion: the distance counts letters put in, left out, changed and swapped") {
  CHECK(edit_distance("steps", "steps") == 0);
  CHECK(edit_distance("stpes", "steps") == 1);
  CHECK(edit_distance("step", "steps") == 1);
  CHECK(edit_distance("stepps", "steps") == 1);
  CHECK(edit_distance("stops", "steps") == 1);
  CHECK(edit_distance("", "steps") == 5);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("suggestion: the nearest name, or none when nothing is near") {
  const std::vector<std::string> names = {"--src", "--steps", "--seed", "--valid-src"};
  CHECK(nearest("--stesp", names) == "--steps");
  CHECK(nearest("--scr", names) == "--src");
  CHECK(nearest("--valid", names) == "--valid-src");
  CHECK(nearest("--frobnicate", names).empty());
  CHECK(did_you_mean("--sed", names) == " (did you mean --seed?)");
  CHECK(did_you_mean("--frobnicate", names).empty());
}

TEST_CASE("joined lists words, and what a function makes of anything") {
  CHECK(joined({}) == "");
  CHECK(joined({"a"}) == "a");
  CHECK(joined({"a", "b", "c"}, " + ") == "a + b + c");
  const auto halved = [](int value) { return std::to_string(value / 2); };
  CHECK(joined(std::vector<int>{}, halved) == "");
  CHECK(joined(std::vector<int>{2, 6}, halved) == "1, 3");
  CHECK(joined(std::vector<int>{2, 6}, halved, " and ") == "1 and 3");
}
