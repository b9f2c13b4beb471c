// docs/inside.md: its commands are ones that there are, with their options, and each has its answer (scripts/inside.sh).
#include <doctest/doctest.h>

#include <map>
#include <sstream>

#include "tests/cli/run_kette.h"

using namespace kette::testing;

namespace {

struct Console {
  std::string command, answer;
};

std::vector<Console> consoles(const std::string& markdown) {
  std::vector<Console> all;
  std::istringstream lines(markdown);
  bool in_console = false;
  for (std::string line; std::getline(lines, line);) {
    if (line == "```console") {
      in_console = true;
    } else if (line == "```") {
      in_console = false;
    } else if (in_console && line.starts_with("$ ")) {
      all.push_back({line.substr(2), ""});
    } else if (in_console) {
      all.back().answer += line + "\n";
    }
  }
  return all;
}

/// "kette plot a b --out c | head" from "kette" on and without the pipe.
std::vector<std::string> command_words(const std::string& command) {
  std::istringstream rest(command.substr(command.find("kette ")));
  std::vector<std::string> words;
  for (std::string word; rest >> word && word != "|";) words.push_back(word);
  return words;
}

}  // namespace

TEST_CASE("docs/inside.md shows commands and options that there are, each with its answer") {
  const auto docs = source_folder() / "docs";
  const std::string text = read_file(docs / "inside.md");
  const std::vector<Console> all = consoles(text);
  CHECK(all.size() > 15);
  std::map<std::string, std::string> helps;
  for (const Console& console : all) {
    CAPTURE(console.command);
    CHECK(console.answer.size() > 10);
    CHECK_FALSE(contains(console.answer, "kette: "));
    const std::vector<std::string> words = command_words(console.command);
    REQUIRE(words.size() > 2);
    std::string& help = helps[words[1]];
    if (help.empty()) {
      const Outcome outcome = run_kette({words[1], "--help-all"});
      REQUIRE(outcome.code == 0);
      help = outcome.out;
    }
    for (const std::string& word : words) {
      CAPTURE(word);
      if (word.starts_with("--")) CHECK(contains(help, word));
    }
  }
  for (const char* picture : {"explain.png", "heads.png", "trace.png"}) {
    CAPTURE(picture);
    CHECK(contains(text, std::string("(pictures/") + picture + ")"));
    CHECK(std::filesystem::file_size(docs / "pictures" / picture) < 400'000);
  }
}
