#include <doctest/doctest.h>

#include <CLI/CLI.hpp>

#include "cli/config_file.h"
#include "tests/cli/run_kette.h"

using namespace kette;
using namespace kette::cli;

namespace {

std::string error_of(const std::string& text) {
  return testing::message_of([&] { parse_config(text, "run.toml"); });
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

TEST_CASE("config file: all of TOML, and each value as the option would be given it") {
  const auto entries = parse_config(
      "ref = [\n  \"a\", # the first\n  'b',\n]\ntext = '''\nx = `ü\n[z]\n'''\nsteps = 0x1_F\nseed = 0b11\n"
      "lr = +1.5_0e-3\nday = 1979-05-27 07:32:00 # then\nname = \"\\u00e9\\\\\"\n\"a.b\" = inf\n",
      "run.toml");
  REQUIRE(entries.size() == 8);
  CHECK(entries[0].values == std::vector<std::string>{"a", "b"});
  CHECK(entries[0].text == "ref = [\n  \"a\", # the first\n  'b',\n]");
  CHECK(entries[1].values == std::vector<std::string>{"x = `ü\n[z]\n"});
  CHECK(entries[1].origin == "run.toml:5");
  CHECK(entries[2].values == std::vector<std::string>{"31"});
  CHECK(entries[2].text == "steps = 0x1_F");
  CHECK(entries[3].values == std::vector<std::string>{"3"});
  CHECK(entries[4].values == std::vector<std::string>{"1.50e-3"});
  CHECK(entries[5].values == std::vector<std::string>{"1979-05-27 07:32:00"});
  CHECK(entries[6].values == std::vector<std::string>{"é\\"});
  CHECK(entries[7].key == "a.b");
  CHECK(complaint_about("steps = 1979-05-27\n") ==
        "run.toml:1: --steps: expected a whole number of at least 1, given 1979-05-27\n");
}

TEST_CASE("config file: words without quotes are taken as they stand") {
  const auto entries = parse_config(
      "a = train.en # b\nb = 01\nc = .5\nd = [x=y, 'z' ,/tmp/w]\ne = 99999999999999999999999\n",
      "run.toml");
  REQUIRE(entries.size() == 5);
  CHECK(entries[0].values == std::vector<std::string>{"train.en"});
  CHECK(entries[0].text == "a = train.en # b");
  CHECK(entries[1].values == std::vector<std::string>{"01"});
  CHECK(entries[2].values == std::vector<std::string>{".5"});
  CHECK(entries[3].values == std::vector<std::string>{"x=y", "z", "/tmp/w"});
  CHECK(entries[4].values == std::vector<std::string>{"99999999999999999999999"});
  // Not beside strings over several lines, in which they might stand.
  CHECK(error_of("a = b\nc = '''\nd = e\n'''\n")
            .starts_with("run.toml:1:5: expected TOML, given 'b'"));
}

TEST_CASE("config file: what is not understood is told with its line") {
  CHECK(error_of("steps = 1\nsteps\n") == "run.toml:2:6: expected '=', given the end of the line");
  CHECK(error_of("steps =\n") == "run.toml:1:8: expected a value, given the end of the line");
  CHECK(error_of("ä.b = 1\n") ==
        "run.toml:1:1: expected keys, tables, whitespace or comments, given 'ä.b = 1'");
  CHECK(error_of("= 1\n") ==
        "run.toml:1:1: expected keys, tables, whitespace or comments, given '= 1'");
  CHECK(error_of("src = \"öpen\n") ==
        "run.toml:1:12: expected a closing quote, given the end of the line");
  CHECK(error_of("[train]\n").starts_with("run.toml:1: expected keys alone"));
  CHECK(error_of("a = 1 2\n") == "run.toml:1:7: expected the end of the line, given '2'");
  CHECK(error_of("a = [1, 2\n") ==
        "run.toml:1:11: expected the rest of the array, given the end of the file");
  CHECK(error_of("a = [1,\n2\nb = 3\n") ==
        "run.toml:3:1: expected comma or closing ']', given 'b = 3'");
  CHECK(error_of("a = 1\n\na = 2\n") == "run.toml:3:5: expected each key once, given a again");
  CHECK(error_of("a = \"\\q\"\n") ==
        "run.toml:1:7: expected TOML, given 'q\"' (unknown escape sequence '\\q')");
  CHECK(error_of("a = \"\"\"\nb") ==
        "run.toml:2:3: expected the rest of the string, given the end of the file");
  // Where quotes were put, columns are others.
  CHECK(error_of("a = word another\n") ==
        "run.toml:1: expected the end of the line, given 'a = word another'");
  CHECK(error_of("a = {b = 1}\n") == "run.toml:1: a: expected values, given a table");
  CHECK(error_of("a = [[1]]\n") == "run.toml:1: a: expected values, given an array in an array");
  CHECK(error_of("a.b = 1\n").starts_with("run.toml:1: expected keys alone"));
  // What toml++ would not survive.
  CHECK(error_of("[.a\n").starts_with("run.toml:1:2: expected "));
  CHECK(error_of("[[\n").starts_with("run.toml:1:3: expected "));
  CHECK(error_of("a = 0[7:32Ɛ\n").starts_with("run.toml:1: expected "));
  CHECK(
      error_of("\na" + std::string(5000, '.')) ==
      "run.toml:2: expected a line of at most 4096 dots, given 5000 (an array may go over several "
      "lines)");
  // In the stead of letters it is given others.
  CHECK(error_of("a = \"\\u0060\"\n") == "run.toml:1: expected ` as it stands, given its number");
}

TEST_CASE("config file: what is saved is read back") {
  CLI::App app("", "train");
  std::int64_t steps = 7, unset = 0;
  double lr = 0.1;
  bool flag = true;
  std::string text = "a \"b\" \\ # 12\n\x01\x7F\t.", number = "12", version = "1.2.3";
  OptionGroup group(app, "Run");
  group.number("--steps", steps, at_least(1), "");
  group.number("--epochs", unset, at_least(1), "");
  group.number("--lr", lr, above(0), "");
  group.flag("--flag", flag, "");
  group.text("--text", text, "");
  group.text("--number", number, "");
  group.text("--version", version, "");
  lr = 1.0 / 3;  // changed after the option was made
  const std::string saved = config_text(app, {"help", "number"});
  const auto entries = parse_config(saved, "saved");
  REQUIRE(entries.size() == 5);
  CHECK(entries[0].key == "steps");
  CHECK(entries[0].values[0] == "7");
  CHECK(std::stod(entries[1].values[0]) == lr);
  CHECK(entries[2].values[0] == "true");
  CHECK(entries[3].values[0] == text);
  CHECK(entries[4].text == "version = \"1.2.3\"");
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
