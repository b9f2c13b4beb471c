// `kette split`: groups of sentences for lines or paragraphs.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "tests/cli/call_kette.h"

using namespace kette::testing;

namespace {

std::string split(const std::string& input, const std::vector<std::string>& more = {}) {
  RunOptions options;
  options.input = input;
  std::vector<std::string> arguments = {"split"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const Outcome outcome = run_kette(arguments, options);
  CAPTURE(outcome.err);
  CHECK(outcome.code == 0);
  return outcome.out;
}

}  // namespace

TEST_CASE("split: a group of sentences for each line, an empty one for an empty line") {
  CHECK(split("One. Two.\nThree\n") == "One.\nTwo.\n\nThree\n");
  CHECK(split("One.\n\n \r\nTwo. Three.") == "One.\n\n\n\nTwo.\nThree.\n");
  CHECK(split("").empty());
  CHECK(split("Am 3. Mai. Gut.\n", {"--language", "de"}) == "Am 3. Mai.\nGut.\n");
}

TEST_CASE("split: paragraphs of wrapped lines") {
  const std::vector<std::string> join = {"--split", "nonewlines"};
  CHECK(split("\n\nA line\nand another. One\nmore.\n\n\nThe last\n\n", join) ==
        "A line and another.\nOne more.\n\nThe last\n");
  CHECK(split(" \n\n", join).empty());

  // Longer than is kept in memory: nothing is lost, and no group is added.
  std::string lines, sentences;
  for (int i = 0; i < 60'000; ++i) {
    lines += "The lines of this\nparagraph are many. ";
    sentences += "The lines of this paragraph are many.\n";
  }
  CHECK(split(lines, join) == sentences);
  std::string without;
  for (int i = 0; i < 100'000; ++i) without += "no end in sight\n";
  const std::string one = split(without, join);
  CHECK(one.size() == without.size());
  CHECK(count_of(one, "\n") == 2);
}

TEST_CASE("split: files, numbers, and what is refused") {
  const ScratchFolder folder;
  write_file(folder / "in", "One. Two.\n");
  const std::string in = (folder / "in").string(), out = (folder / "out").string();
  const Outcome outcome = call_kette({"split", "--input", in, "--output", out, "--json"});
  CHECK(outcome.code == 0);
  CHECK(read_file(folder / "out") == "One.\nTwo.\n");
  const auto report = outcome.json();
  CHECK(report.at("lines") == 1);
  CHECK(report.at("sentences") == 2);

  CHECK(call_kette({"split", "--language", "xx"}).code == 2);
  CHECK(call_kette({"split", "--input", in, "--output", in}).code == 1);
  RunOptions options;
  options.input =
      "good\nb\xFF"
      "d\n";
  const Outcome invalid = run_kette({"split"}, options);
  CHECK(invalid.code == 1);
  CHECK(invalid.says("stdin:2"));
}
