// `kette parse-score` as people run it; the numbers are those of tests/data/test_parse_score.cpp.
#include <doctest/doctest.h>

#include "tests/cli/call_kette.h"

using namespace kette::testing;

TEST_CASE("cli: parse-score prints both blocks and ends with the signature") {
  const ScratchFolder folder;
  const std::string gold = (folder / "gold").string(), test = (folder / "test").string();
  write_file(gold,
             "( (S (NP-SBJ (DT the) (NN cat)) (VP (VBZ sleeps)) (. .)))\n(S (NP (NN a)) (, ,))\n");
  write_file(test, "(S (NP (DT the) (NN cat)) (VB sleeps) (. .))\n(S (NP (NN a)) (NN ,))\n");
  const Outcome own = call_kette({"parse-score", "--gold", gold, "--test", test});
  CAPTURE(own.err);
  REQUIRE(own.code == 0);
  CHECK(contains(own.out, "of them errors              1        1\n"));
  CHECK(own.last_line() == "evalb|prm:COLLINS|roots:no|micro|len<=all = 80.00");
  const Outcome by_gold = call_kette({"parse-score", "--gold", gold, "--test", test,
                                      "--punctuation", "gold", "--cutoff", "2", "--json"});
  const JsonView json = by_gold.json();
  CHECK(json["signature"] == "evalb|prm:COLLINS|roots:no|micro|punctuation:gold|len<=all");
  CHECK(json["errors"] == 0);
  CHECK(json["brackets"].dump() == R"({"matched":4,"gold":5,"test":4})");
  CHECK(json["short"]["signature"] == "evalb|prm:COLLINS|roots:no|micro|punctuation:gold|len<=2");
  CHECK(json["short"]["sentences"] == 1);
  CHECK(json["short"]["f1"] == 100);
}

TEST_CASE("cli: parse-score says whether two parsers differ by more than chance") {
  const ScratchFolder folder;
  const std::string gold = (folder / "gold").string(), good = (folder / "good").string(),
                    bad = (folder / "bad").string();
  const std::string tree = "(S (NP (DT the) (NN cat)) (VP (VBZ sleeps)))\n",
                    flat = "(S (DT the) (NN cat) (VP (VBZ sleeps)))\n";
  std::string of_gold, of_good, of_bad;
  for (int i = 0; i < 12; ++i) {
    of_gold += tree;
    of_good += i == 0 ? flat : tree;
    of_bad += i % 2 == 0 ? flat : tree;
  }
  write_file(gold, of_gold);
  write_file(good, of_good);
  write_file(bad, of_bad);
  const Outcome outcome =
      call_kette({"parse-score", "--gold", gold, "--test", good, "--against", bad, "--json"});
  REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
  CHECK(contains(outcome.out,
                 "|len<=all = 98.59\n" + bad + ": F1 = 90.91\n" + "difference +7.68: p = 0.0"));
  const JsonView against = outcome.json().at("against");
  CHECK(against.at("score").get<double>() == doctest::Approx(100 * 60.0 / 66));
  CHECK(against.at("bootstrap_p") < 0.02);
  CHECK(against.at("randomisation_p") < 0.1);
  write_file(bad, tree);
  const Outcome refused =
      call_kette({"parse-score", "--gold", gold, "--test", good, "--against", bad});
  CHECK(refused.code == 1);
  CHECK(refused.out.empty());
  CHECK(refused.says("bad: expected 12 trees, as many as "));
}

TEST_CASE("cli: parse-score counts as evalb with a parameter file, and tells of roots") {
  const ScratchFolder folder;
  const std::string gold = (folder / "gold").string(), test = (folder / "test").string(),
                    parameters = (folder / "own.prm").string();
  write_file(gold, "(ROOT (S (NP (NN a)) (VB b)))\n(ROOT (S (NN c)))\n(ROOT (S (NN d)))\n");
  write_file(test, "(S (NP (NN a)) (VB b))\n\n(S (NN d))\n\n");
  write_file(parameters, "CUTOFF_LEN 1\n");
  const Outcome plain = call_kette({"parse-score", "--gold", gold, "--test", test});
  CHECK(plain.last_line() == "evalb|prm:COLLINS|roots:no|micro|len<=all = 100.00");
  CHECK(plain.err.empty());
  CHECK(contains(plain.out, "of them skipped             1        1\n"));
  const Outcome own =
      call_kette({"parse-score", "--gold", gold, "--test", test, "--parameters", parameters});
  CAPTURE(own.err);
  CHECK(own.last_line() == "evalb|prm:own|micro|len<=all = 75.00");
  CHECK(contains(own.out, "len<=1"));
  CHECK(own.says("of all 2 sentences the roots are in one file alone"));
  CHECK(own.says("without roots F1 is 100.00"));
  const Outcome cut = call_kette(
      {"parse-score", "--gold", gold, "--test", test, "--cutoff", "7", "--parameters", parameters});
  CHECK(contains(cut.out, "len<=7"));
  write_file(parameters, "DELETE_LABEL ROOT\n");
  const Outcome deleted =
      call_kette({"parse-score", "--gold", gold, "--test", test, "--parameters", parameters});
  CHECK(deleted.last_line() == "evalb|prm:own|micro|len<=all = 100.00");
  CHECK(deleted.err.empty());
  write_file(parameters, "DELETE ROOT\n");
  const Outcome refused =
      call_kette({"parse-score", "--gold", gold, "--test", test, "--parameters", parameters});
  CHECK(refused.code == 2);
  CHECK(refused.says("own.prm:1: expected a keyword of evalb"));
}

TEST_CASE("cli: parse-score names file and line of what is no tree") {
  const ScratchFolder folder;
  const std::string gold = (folder / "gold").string(), test = (folder / "test").string();
  write_file(gold, "(S (NN a))\n(S (NN b))\n");
  const auto refused = [&](const std::string& content) {
    write_file(test, content);
    const Outcome outcome = call_kette({"parse-score", "--gold", gold, "--test", test});
    CHECK(outcome.code == 1);
    return outcome.err.substr(outcome.err.rfind('/') + 1);
  };
  CHECK(refused("(S (NN a))\nS (NN b)\n") ==
        "test:2: expected (, as a tree begins, given S; is this a file of trees?\n");
  CHECK(refused("(S (NN a))\n(S (NN b)\n") ==
        "test:2: expected a tree with as many ) as (, given 1 ) too few\n");
  CHECK(contains(refused("(S (NN a))\n"), "has, given 1 (for a sentence without"));
  const Outcome usage = call_kette({"parse-score", "--gold", gold});
  CHECK(usage.code == 2);
  CHECK(usage.says("--test"));
}
