// kette translate over text that is not all good: each line has its place in the output, whatever is wrong with others.
#include <doctest/doctest.h>

#include <random>
#include <set>
#include <sstream>

#include "tests/cli/run_kette.h"

using namespace kette::testing;

namespace {

Outcome translate(const std::string& input, const std::vector<std::string>& more = {}) {
  // As it is: a model that has learnt nothing mostly runs in circles.
  std::vector<std::string> arguments = {"translate", "--model", SmallModel::get().model(),
                                        "--threads", "1",       "--no-mend"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  RunOptions options;
  options.input = input;
  return run_kette(arguments, options);
}

/// No sentence that the small model has positions for.
std::string too_long() {
  std::string line;
  for (int i = 0; i < 5000; ++i) line += "the cat sees bread ";
  return line;
}

}  // namespace

TEST_CASE("translate: faults of 50 lines among 1,000 are theirs alone, in each way to go on") {
  const std::vector<std::string> words = {"the cat sees bread .", "a man likes music .",
                                          "a dog hears the cat .", ""};
  std::mt19937 random(42);
  std::vector<std::string> good(1000), bad;
  for (std::string& line : good) line = words[random() % words.size()];
  std::set<std::size_t> faulty;
  while (faulty.size() < 50) faulty.insert(random() % good.size());
  bad = good;
  int kind = 0;
  for (const std::size_t at : faulty) {
    const std::string faults[] = {"a \xC3 man", too_long(), "\xFF", std::string(300'000, 'x')};
    bad[at] = faults[kind++ % 4];
  }
  const auto joined = [](const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
  };
  const std::vector<std::string> expected = lines_of(translate(joined(good)).out);
  REQUIRE(expected.size() == 1000);
  for (const bool copies : {false, true}) {
    const Outcome outcome =
        translate(joined(bad), {"--on-error", copies ? "copy" : "skip", "--split", "lines"});
    CHECK(outcome.code == 1);
    CHECK(outcome.says("50 of 1,000 lines are not translated"));
    const std::vector<std::string> found = lines_of(outcome.out);
    REQUIRE(found.size() == 1000);
    for (std::size_t i = 0; i < found.size(); ++i) {
      CAPTURE(i);
      if (!faulty.contains(i)) {
        REQUIRE(found[i] == expected[i]);
      } else {  // of 300,000 bytes nothing is kept
        REQUIRE(found[i] == (copies && bad[i].size() < 262'144 ? bad[i] : ""));
      }
    }
    std::size_t said = 0;
    for (const std::size_t at : faulty) {
      said += outcome.says("kette: stdin:" + std::to_string(at + 1) + ":") ? 1 : 0;
    }
    CHECK(said == 20);  // so many one by one
  }
  const Outcome stopped = translate(joined(bad), {"--on-error", "stop", "--split", "lines"});
  CHECK(stopped.code == 1);
  const std::vector<std::string> before = lines_of(stopped.out);
  CHECK(before ==
        std::vector<std::string>(expected.begin(),
                                 expected.begin() + static_cast<std::ptrdiff_t>(*faulty.begin())));
  CHECK(stopped.says("stdin:" + std::to_string(*faulty.begin() + 1) + ":"));
}

TEST_CASE("translate: sentences of the command line, before the model and behind it") {
  const std::string model = SmallModel::get().model(), sentence = "the cat sees bread .",
                    other = "a man likes music .";
  const std::string expected = translate(sentence + "\n" + other + "\n").out;
  REQUIRE(lines_of(expected).size() == 2);
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"translate", "--no-mend", "--model", model, sentence, other},
        {"translate", sentence, other, "--no-mend", "--model", model},
        {"translate", "--no-mend", "--model", model, "--checkpoint", model + "/model.safetensors",
         sentence, other},
        {"translate", "--model", model, "--no-mend", "--", sentence, other}}) {
    const Outcome outcome = run_kette(arguments);
    CAPTURE(outcome.err);
    CHECK(outcome.code == 0);
    CHECK(outcome.out == expected);
  }
  const Outcome both = run_kette({"translate", "--model", model, sentence, "--input", "x"});
  CHECK(both.code == 2);
  const Outcome word = run_kette({"translate", "--model", model, "cat"});
  CHECK(word.code == 2);
  CHECK(word.says("cat: expected a model directory, given no such folder"));
  CHECK(word.says("kette translate \"cat\" --model"));
}

TEST_CASE("translate: what is one line too much for a list of the best is a row of it") {
  const Outcome outcome =
      translate("the cat sees bread .\n\xFF\n", {"--n-best", "2", "--on-error", "copy"});
  CHECK(outcome.code == 1);
  const std::vector<std::string> rows = lines_of(outcome.out);
  REQUIRE(rows.size() == 3);
  CHECK(rows[2] == "2 ||| \xFF ||| 0.000000");
}

TEST_CASE("translate --json: stdout is JSON alone, a line for each and last the sum") {
  const std::string text = "the cat sees bread .\n\n\xFF\nthe dog hears a bell .\n";
  const std::vector<std::string> plain = lines_of(translate(text).out);
  REQUIRE(plain.size() == 4);
  const std::vector<JsonView> json = JsonView::lines(translate(text, {"--json"}).out);
  REQUIRE(json.size() == 5);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(json[i].at("line") == i + 1);
    CHECK(json[i].at("text") == plain[i]);
    CHECK(json[i].contains("fault") == (i == 2));
  }
  CHECK(json[4].at("faulty_lines") == 1);

  // Lists are JSON in a file, too, without the sum; translations are text there.
  const ScratchFolder folder;
  const std::string file = (folder / "out").string();
  const Outcome to_file = translate(text, {"--json", "--output", file});
  CHECK(lines_of(to_file.out).size() == 1);
  CHECK(lines_of(read_file(file)) == plain);
  const std::vector<std::string> wide = {"--n-best",         "4",   "--beam", "4",
                                         "--length-penalty", "none"};
  std::vector<std::string> rows = lines_of(translate(text, wide).out), told;
  std::vector<std::string> arguments = wide;
  arguments.insert(arguments.end(), {"--json", "--output", file});
  const std::vector<JsonView> sum = JsonView::lines(translate(text, arguments).out);
  CHECK(sum.size() == 1);
  const std::vector<std::string> lists = lines_of(read_file(file));
  REQUIRE(lists.size() == 4);
  for (const std::string& line : lists) {
    const auto list = JsonView::parse(line);
    for (const auto& one : list.at("n_best")) {
      char score[32];
      std::snprintf(score, sizeof score, "%.6f", one.at("score").get<double>());
      told.push_back(list.at("line").dump() + " ||| " + one.at("text").text() + " ||| " + score);
    }
  }
  CHECK(told == rows);
  CHECK(JsonView::parse(lists[2]).contains("fault"));
  // Where the length ends a search, that is told.
  arguments = {"--n-best", "2", "--max-length", "1", "--json"};
  const std::vector<JsonView> cut =
      JsonView::lines(translate("the cat sees bread .\n", arguments).out);
  CHECK(cut.at(0).at("n_best").at(0).at("at_limit") == true);
  CHECK(translate("x\n", {"--json", "--format", "md"}).code == 2);
}

TEST_CASE("translate: texts that are equal are one candidate, with the best score; samples stay") {
  // Of one piece at most, most of the many ways to go on spell the same few texts.
  const std::string text = "the cat sees bread .\n";
  const auto texts_of = [](const Outcome& outcome) {
    std::vector<std::string> texts;
    for (const std::string& row : lines_of(outcome.out)) {
      texts.push_back(row.substr(0, row.rfind(" ||| ")));
    }
    return texts;
  };
  const Outcome wide = translate(
      text, {"--n-best", "60", "--beam", "60", "--max-length", "2", "--length-penalty", "none"});
  const std::vector<std::string> found = texts_of(wide);
  CHECK(std::set<std::string>(found.begin(), found.end()).size() == found.size());
  CHECK(found.size() < 60);
  const std::vector<std::string> drawn = texts_of(
      translate(text, {"--n-best", "60", "--sample", "--temperature", "0.1", "--max-length", "1"}));
  CHECK(drawn.size() == 60);
  CHECK(std::set<std::string>(drawn.begin(), drawn.end()).size() < 60);
  // A line without text has no sentence to draw for; as a whole it is one like any other.
  std::vector<std::string> arguments = {"--n-best", "2", "--sample"};
  CHECK(lines_of(translate("\n", arguments).out) ==
        std::vector<std::string>{"1 |||  ||| 0.000000"});
  arguments.insert(arguments.end(), {"--split", "lines"});
  CHECK(lines_of(translate("\n", arguments).out) ==
        std::vector<std::string>(2, "1 |||  ||| 0.000000"));
  // The sentences of a line each have their rows.
  for (const auto& [number, rows] : {std::pair("1.1 ||| ", 2u), {"1.2 ||| ", 2u}, {"1 ||| ", 0u}}) {
    const Outcome outcome =
        translate("the cat sees bread. A man likes music!\n", {"--n-best", "2", "--sample"});
    CHECK(count_of("\n" + outcome.out, std::string("\n") + number) == rows);
  }
}

TEST_CASE("translate: each sentence of a line, and what stands between them as it was") {
  const auto one = [](const std::string& sentence) {
    return lines_of(translate(sentence + "\n", {"--split", "lines"}).out).at(0);
  };
  const std::string cat = one("the cat sees bread."), man = one("A man likes music!"),
                    dog = one("The dog hears?");
  const std::string text = "  the cat sees bread.   A man likes music! \t\n\n  \nThe dog hears?\n";
  for (const std::string split : {"auto", "sentences"}) {
    CAPTURE(split);
    const Outcome outcome = translate(text, {"--split", split});
    CHECK(outcome.code == 0);
    CHECK(outcome.out == "  " + cat + "   " + man + " \t\n\n  \n" + dog + "\n");
    CHECK(outcome.says("1 of 4 lines were translated in parts, 3 in all"));
  }
  // No word where nothing was done.
  const Outcome plain = translate("the cat sees bread.\n");
  CHECK(plain.out == cat + "\n");
  CHECK_FALSE(plain.says("kette:"));
}

TEST_CASE(
    "translate: a sentence that is too long is translated in parts; the best of each are numbered") {
  std::string sentence = "the cat sees bread";
  for (int i = 0; i < 30; ++i) sentence += ", the dog hears a man";
  const Outcome cut = translate(sentence + ".\n");
  CHECK(cut.code == 0);
  CHECK(cut.says("sentences are parts of sentences that are too long for the model"));
  const Outcome whole = translate(sentence + ".\n", {"--split", "lines"});
  CHECK(whole.code == 1);
  CHECK(whole.says("stdin:1: expected at most 63 tokens"));
  CHECK(whole.says("--split sentences parts it, --truncate cuts it off"));
  const Outcome lists =
      translate("the cat sees bread. A man likes music.\nthe dog hears.\n", {"--n-best", "2"});
  const std::vector<std::string> rows = lines_of(lists.out);
  REQUIRE(rows.size() == 6);
  const std::vector<std::string> numbers = {"1.1 |||", "1.1 |||", "1.2 |||",
                                            "1.2 |||", "2 |||",   "2 |||"};
  for (std::size_t i = 0; i < rows.size(); ++i) CHECK(rows[i].starts_with(numbers[i]));
}

TEST_CASE("translate: a prefix is of a line, and lines are not parted then") {
  const ScratchFolder folder;
  write_file(folder / "prefix", "der hund\n");
  const std::string file = (folder / "prefix").string(), text = "a cat. a dog.\n";
  CHECK(lines_of(translate(text, {"--prefix", file}).out).at(0).starts_with("der hund"));
  const Outcome refused = translate(text, {"--prefix", file, "--split", "sentences"});
  CHECK(refused.code == 2);
  CHECK(refused.says("--prefix: expected --split lines beside it"));
}

TEST_CASE("translate --previous: for models that have learnt several sentences at once") {
  const Outcome none = translate("the cat sees bread .\n", {"--previous", "1"});
  CHECK(none.code == 1);
  CHECK(none.says("expected a model that has learnt 2 sentences at once, for --previous"));
  CHECK(none.says("kette train --join-lines 2"));
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--split", "lines"}, {"--n-best", "2"}}) {
    std::vector<std::string> arguments = {"--previous", "1"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome refused = translate("", arguments);
    CHECK(refused.code == 2);
    CHECK(refused.says("--previous: expected one translation for each sentence"));
  }
  const ScratchFolder folder;
  std::string english, german;
  for (int i = 0; i < 40; ++i) {
    english += "The cat sees bread.\nA man likes music.\n";
    german += "Die Katze sieht Brot.\nEin Mann mag Musik.\n";
  }
  write_file(folder / "en", english);
  write_file(folder / "de", german);
  const auto in = [&](const char* name) { return (folder / name).string(); };
  const Outcome trained = run_kette({"train",     "--src",
                                     in("en"),    "--tgt",
                                     in("de"),    "--valid-src",
                                     in("en"),    "--valid-tgt",
                                     in("de"),    "--out",
                                     in("model"), "--preset",
                                     "tiny",      "--width",
                                     "32",        "--hidden",
                                     "64",        "--encoder-layers",
                                     "1",         "--decoder-layers",
                                     "1",         "--dropout",
                                     "0",         "--norm",
                                     "pre",       "--vocab",
                                     "60",        "--join-lines",
                                     "2",         "--steps",
                                     "150",       "--lr",
                                     "0.01",      "--warmup",
                                     "10",        "--batch-tokens",
                                     "256",       "--no-validate-bleu",
                                     "--threads", "1"});
  REQUIRE(trained.code == 0);
  CHECK(trained.says(
      "80 sentence pairs read, 80 kept, 0 dropped; joined to 54 pairs of at most 2 lines"));
  RunOptions options;
  options.input = "A man likes music.\nThe cat sees bread.\nA man likes music.\n";
  const Outcome outcome = run_kette({"translate", "--model", in("model"), "--threads", "1",
                                     "--previous", "1", "--report", in("report")},
                                    options);
  CHECK(outcome.code == 0);
  CHECK(outcome.out == "Ein Mann mag Musik.\nDie Katze sieht Brot.\nEin Mann mag Musik.\n");
  const std::string report = read_file(folder / "report");
  CHECK(contains(report, "\"previous\":1"));
  CHECK(run_kette({"translate", "--model", in("model"), "--previous", "2"}, options).code == 1);
}
