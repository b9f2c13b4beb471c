// `kette train --trees` and `kette parse` as people run them.
#include <doctest/doctest.h>

#include <sstream>

#include "tests/cli/call_kette.h"
#include "tests/toy_trees.h"

using namespace kette::testing;

namespace {

/// In roots and with a trace, as a treebank is distributed.
std::string rooted(const std::string& trees) {
  std::string text;
  for (std::string line : lines_of(trees)) {
    line.replace(0, 2, "(S-TPC (NP|X (-NONE- *))");
    line.replace(line.find("(VP "), 4, "(VP|X ");
    text += "(ROOT " + line + ")\n";
  }
  return text;
}

/// Trees and a parser of them, trained once for all tests.
class SmallParser {
 public:
  SmallParser() {
    write_file(folder_ / "train.mrg", toy_trees(100, 1));
    write_file(folder_ / "valid.mrg", rooted(toy_trees(10, 2)));
    outcome_ = call_kette(arguments("model", {"--json"}));
  }
  static const SmallParser& get() {
    static const SmallParser parser;
    return parser;
  }

  std::vector<std::string> arguments(const std::string& name,
                                     const std::vector<std::string>& more = {}) const {
    const std::vector<std::string> all = {"train",
                                          "--trees",
                                          file("train.mrg"),
                                          "--valid-trees",
                                          file("valid.mrg"),
                                          "--out",
                                          file(name),
                                          "--vocab",
                                          "60",
                                          "--steps",
                                          "20",
                                          "--lr",
                                          "0.02",
                                          "--warmup",
                                          "5",
                                          "--dropout",
                                          "0",
                                          "--threads",
                                          "1",
                                          "--quiet"};
    return with(with(all, kSmallShape), more);
  }
  const Outcome& outcome() const { return outcome_; }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }

 private:
  ScratchFolder folder_;
  Outcome outcome_;
};

}  // namespace

TEST_CASE("cli: a parser is trained, parses lines, and is scored") {
  const SmallParser& small = SmallParser::get();
  CAPTURE(small.outcome().err);
  REQUIRE(small.outcome().code == 0);
  CHECK(small.outcome().json()["f1"].is_number());
  const std::vector<std::string> command = {"parse", "--model", small.file("model"), "--threads",
                                            "1"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), command.begin(), command.end());
    return more;
  };
  RunOptions said;
  said.input = "the cat sees ( a dog )\n\nthe";
  const Outcome parsed = run_kette(with({"--beam", "2"}), said);
  CAPTURE(parsed.err);
  REQUIRE(parsed.code == 0);
  CHECK(contains(parsed.out, " -LRB-)"));
  CHECK(count_of(parsed.out, "\n") == 3);
  CHECK(contains(parsed.out, "\n(())\n"));

  said.input = "the cat\nbad \xFF\nthe dog\n";
  const Outcome faulty = run_kette(with({"--beam", "2"}), said);
  CHECK(faulty.code == 1);
  CHECK(count_of(faulty.out, "\n") == 3);
  CHECK(contains(faulty.out, "\n(())\n"));
  CHECK(contains(faulty.err, "UTF-8"));

  const Outcome gold = call_kette(with({"--gold", small.file("valid.mrg"), "--output",
                                        small.file("out.mrg"), "--beam", "1", "--json"}));
  CAPTURE(gold.err);
  REQUIRE(gold.code == 0);
  const JsonView json = gold.json();
  CHECK(json["sentences"] == 10);
  CHECK(json["beam"] == 1);
  CHECK(json["length_penalty"] == "gnmt:0.3");
  const Outcome score = call_kette({"parse-score", "--gold", small.file("valid.mrg"), "--test",
                                    small.file("out.mrg"), "--json"});
  REQUIRE(score.code == 0);
  CHECK(score.json()["f1"] == json["f1"]);
  // So did training, which goes by gold's punctuation.
  const Outcome by_gold = call_kette(
      with({"--gold", small.file("valid.mrg"), "--beam", "1", "--punctuation", "gold", "--json"}));
  CHECK(by_gold.json()["f1"] > 0);
  CHECK(small.outcome().json()["f1"] == by_gold.json()["f1"]);

  std::string words;
  for (int i = 0; i < 1200; ++i) words += " (NN cat)";
  write_file(small.file("long.mrg"), "(S (NP (DT the)\n (NN cat)))\n\n(S (NP" + words + "))\n");
  const Outcome too_long = call_kette(with({"--gold", small.file("long.mrg"), "--beam", "1"}));
  CAPTURE(too_long.err);
  CHECK(too_long.says("long.mrg:4: expected a sentence of at most "));  // where the tree begins
  std::string many;
  for (int i = 0; i < 1200; ++i) many += "cat ";
  write_file(small.file("lines"), "the\n" + many + "\nthe cat\n");
  const Outcome others = call_kette(with({"--input", small.file("lines"), "--beam", "1"}));
  CAPTURE(others.err);
  CHECK(others.code == 1);
  CHECK(count_of(others.out, "\n") == 3);
  CHECK(contains(others.out, "\n(())\n"));
  CHECK(others.says("lines:2: expected a sentence of at most "));
  CHECK(others.says("1 of 3 lines are not parsed: the output has (()) in their place"));

  const Outcome info = call_kette({"info", "--model", small.file("model")});
  CHECK(contains(info.out, "source embedding"));
  const Outcome exported =
      call_kette({"export", "--model", small.file("model"), "--out", small.file("exported")});
  CHECK(exported.code == 1);
  CHECK(exported.says("expected a model with one vocabulary"));
  const Outcome explained =
      call_kette({"explain", "--model", small.file("model"), "the cat sees", "--json"});
  CAPTURE(explained.err);
  CHECK(explained.code == 0);
  const JsonView explanation = explained.json();
  std::size_t widest = 0;  // as wide as kette parse searches, if nothing else is asked for
  for (const JsonView& step : explanation["beam"]["steps"]) {
    widest = std::max(widest, step.size());
  }
  CHECK(widest > 5);
}

TEST_CASE("cli: what a parser is not for is said, and nothing is lost by it") {
  const SmallParser& small = SmallParser::get();
  const SmallModel& translator = SmallModel::get();
  write_file(small.file("out"), "precious");
  const auto refused = [](const std::vector<std::string>& arguments, int code) {
    RunOptions said;
    said.input = "the\n";
    const Outcome outcome = run_kette(arguments, said);
    CHECK(outcome.code == code);
    return outcome.err;
  };
  CHECK(
      contains(refused({"parse", "--model", translator.model(), "--output", small.file("out")}, 1),
               "expected a parser, given a model with a tokenizer of the kind sentencepiece"));
  CHECK(read_file(small.file("out")) == "precious");
  write_file(small.file("no-trees"), "The cat sleeps .\n");
  CHECK(contains(
      refused({"parse", "--model", small.file("model"), "--gold", small.file("no-trees")}, 1),
      "no-trees:1: expected (, as a tree begins, given The"));
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"translate"},
           {"patch", "--contrast", "number"},
           {"heads", "--src", small.file("no-trees"), "--tgt", small.file("no-trees")},
           {"evaluate", "--src", small.file("no-trees"), "--ref", small.file("no-trees")},
           {"score", "--src", small.file("no-trees"), "--tgt", small.file("no-trees")}}) {
    CHECK(contains(refused(with(words, {"--model", small.file("model")}), 1),
                   "expected a translation model, given a parser ("));
  }
  write_file(small.file("pairs"), "the cat\tthe dog\n");
  CHECK(contains(
      refused({"patch", "--model", small.file("model"), "--pairs", small.file("pairs")}, 1),
      "pairs:1: expected two texts and what follows each"));
  CHECK(contains(refused({"parse", "--model", small.file("model"), "--beam", "1000"}, 1),
                 "beam: expected at most"));
  CHECK(contains(refused(small.arguments("other", {"--src", "x"}), 2),
                 "--src: expected for a translation model, given beside --trees"));
  CHECK(contains(refused(small.arguments("other", {"--documents", "line"}), 2),
                 "--documents: expected for a language model, given beside --trees"));
  CHECK(contains(refused(small.arguments("other", {"--weights", "1", "--weights", "2"}), 2),
                 "--weights: expected one for each file of --trees, 1, given 2"));
  CHECK(contains(
      refused({"train", "--trees", small.file("train.mrg"), "--out", small.file("other")}, 2),
      "--valid-trees is required"));
  CHECK(contains(refused({"train", "--valid-trees", "x", "--out", small.file("other")}, 2),
                 "--valid-trees: expected with --trees beside it, given without"));
  CHECK(!std::filesystem::exists(small.file("other")));
}
