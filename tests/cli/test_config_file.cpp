#include <doctest/doctest.h>

#include <CLI/CLI.hpp>

#include "cli/config_file.h"
#include "tests/cli/run_kette.h"

using namespace kette;
using namespace kette::cli;

namespace {

std::string message_of(const std::string& text) {
  try {
    parse_config(text, "run.toml");
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

/// What `kette train --config` says of that file.
std::string complaint_about(const std::string& text) {
  const testing::ScratchFolder folder;
  testing::write_file(folder / "run.toml", text);
  const testing::Outcome outcome = testing::run_kette(
      {"train", "--config", (folder / "run.toml").string(), "--out", (folder / "never").string()});
  CHECK(outcome.code == 2);
  CHECK_FALSE(std::filesystem::exists(folder / "never"));
  const std::string beginning = "kette: " + folder.path().string() + "/";
  CHECK(outcome.err.starts_with(beginning));
  return outcome.err.substr(std::min(beginning.size(), outcome.err.size()));
}

}  // namespace

TEST_CASE("config file: what an option does not take is told with file and line") {
  CHECK(complaint_about("\nsteps = abc\n") ==
        "run.toml:2: --steps: expected a whole number of at least 1, given abc\n");
  CHECK(complaint_about("steps = [5, 7]\n") ==
        "run.toml:1: --steps: expected one value, given several: 5, 7\n");
  CHECK(complaint_about("lr = []\n") == "run.toml:1: --lr: expected one value, given none\n");
  CHECK(complaint_about("quiet = maybe\n") ==
        "run.toml:1: --quiet: expected true or false, given maybe\n");
  CHECK(complaint_about("src = \"\"\nsteps = 3\n") ==
        "run.toml:1: --src: expected a value, given nothing\n");  // and not the next option
  CHECK(complaint_about("quiet = \"\"\n") ==
        "run.toml:1: --quiet: expected a value, given nothing\n");
  CHECK(testing::run_kette({"train", "--config", "a", "--config", "b"})
            .says("--config: expected one file"));
}

TEST_CASE("config file: strings, numbers, lists and comments") {
  const auto entries = parse_config(
      "# a run\n\nsrc = \"a # b\\\\\\\"c\\\".en\"  # comment\nsteps=2_000\n'out' = 'c:\\new'\nref "
      "= [\"a\", b , 'c']\n"
      "lr = 5e-3\nresume = true\r\nempty = \"\"\nnone = []\nschedule = inverse_sqrt\n",
      "run.toml");
  REQUIRE(entries.size() == 9);
  CHECK(entries[0].key == "src");
  CHECK(entries[0].values == std::vector<std::string>{"a # b\\\"c\".en"});
  CHECK(entries[0].origin == "run.toml:3");
  CHECK(entries[1].values == std::vector<std::string>{"2000"});
  CHECK(entries[2].key == "out");
  CHECK(entries[2].values == std::vector<std::string>{"c:\\new"});
  CHECK(entries[3].values == std::vector<std::string>{"a", "b", "c"});
  CHECK(entries[4].values == std::vector<std::string>{"5e-3"});
  CHECK(entries[5].values == std::vector<std::string>{"true"});
  CHECK(entries[6].values == std::vector<std::string>{""});
  CHECK(entries[7].values.empty());
  CHECK(entries[8].values == std::vector<std::string>{"inverse_sqrt"});
}

TEST_CASE("config file: what is not understood is told with its line") {
  CHECK(message_of("steps = 1\nsteps\n").starts_with("run.toml:2: expected '='"));
  CHECK(message_of("steps =\n").starts_with("run.toml:1: expected a value, given the end"));
  CHECK(message_of("src = \"open\n").starts_with("run.toml:1: expected a closing \""));
  CHECK(message_of("[train]\n").starts_with("run.toml:1: expected"));
  CHECK(message_of("a = 1 2\n").starts_with("run.toml:1: expected the end of the line, given '2'"));
  CHECK(message_of("a = [1, 2\n").starts_with("run.toml:1: expected ',' or ']'"));
  CHECK(message_of("a = 1\n\na = 2\n") ==
        "run.toml:3: expected each key once, given a again after run.toml:1");
}

TEST_CASE("config file: what is saved is read back") {
  CLI::App app("", "train");
  std::int64_t steps = 7, unset = 0;
  double lr = 0.1;
  bool flag = true;
  std::string text = "a \"b\" \\ # 12", number = "12";
  OptionGroup group(app, "Run");
  group.number("--steps", steps, at_least(1), "");
  group.number("--epochs", unset, at_least(1), "");
  group.number("--lr", lr, above(0), "");
  group.flag("--flag", flag, "");
  group.text("--text", text, "");
  group.text("--number", number, "");
  lr = 1.0 / 3;  // changed after the option was made
  const std::string saved = config_text(app, {"help", "number"});
  const auto entries = parse_config(saved, "saved");
  REQUIRE(entries.size() == 4);
  CHECK(entries[0].key == "steps");
  CHECK(entries[0].values[0] == "7");
  CHECK(std::stod(entries[1].values[0]) == lr);
  CHECK(entries[2].values[0] == "true");
  CHECK(entries[3].values[0] == text);
}

TEST_CASE("config file: a conflict of its options is told with its line") {
  using namespace kette::testing;
  const ScratchFolder folder;
  const std::string file = (folder / "run.toml").string();
  write_file(file, "model = \"none\"\nbeam = 3\nsample = true\n");
  const Outcome outcome = run_kette({"translate", "--config", file});
  CAPTURE(outcome.err);
  CHECK(outcome.code == 2);
  CHECK(outcome.says(file + ":2: --beam excludes --sample"));
}
