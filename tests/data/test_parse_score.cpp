// Labelled brackets beside the real evalb: random trees, and the treebank sample with brackets moved. With
// KETTE_EVALB, a folder with evalb and COLLINS.prm, the program itself is asked again.
#include <doctest/doctest.h>

#include <array>
#include <cstdlib>
#include <sstream>

#include "data/metrics/parse_score.h"
#include "data/metrics/significance.h"
#include "tensor/error.h"
#include "tensor/splitmix.h"
#include "tests/data/evalb_golden.h"
#include "tests/data/tiny_text.h"

namespace kette {
namespace {

using namespace testing;

/// Moves, renames, adds and drops brackets, and changes tags, of one node in `one_in`.
class Perturbation {
 public:
  Perturbation(std::uint64_t seed, std::uint64_t one_in) : state_(seed), one_in_(one_in) {}

  Tree operator()(const Tree& tree) {
    std::vector<Tree> nodes = changed(tree);
    return nodes.size() == 1 ? std::move(nodes.front()) : Tree{"S", {}, std::move(nodes)};
  }

 private:
  bool happens() { return next() % one_in_ == 0; }
  std::uint64_t next() { return splitmix64(state_++); }
  std::string label() {
    constexpr std::array kLabels = {"NP", "VP", "S", "PP", "ADVP", "PRT", "NP-SBJ"};
    return kLabels[next() % kLabels.size()];
  }

  std::vector<Tree> changed(const Tree& tree) {
    Tree node{tree.label, tree.word};
    if (tree.is_leaf()) {
      if (happens() && happens()) node.label = next() % 4 == 0 ? "," : "NN";
      return {node};
    }
    for (const Tree& child : tree.children) {
      for (Tree& part : changed(child)) node.children.push_back(std::move(part));
    }
    if (happens()) node.label = label();
    if (node.children.size() > 2 && happens()) {
      const auto end = node.children.end();
      Tree both{label(), {}, {end - 2, end}};
      node.children.erase(end - 2, end);
      node.children.push_back(std::move(both));
    }
    if (happens()) return node.children;
    if (happens()) return {Tree{label(), {}, {node}}};
    return {node};
  }

  std::uint64_t state_, one_in_;
};

Treebank perturbed(const Treebank& bank, std::uint64_t seed, std::uint64_t one_in) {
  Treebank result = bank;
  Perturbation perturb(seed, one_in);
  for (Tree& tree : result.trees) tree = perturb(tree);
  return result;
}

/// A tree a line, in a bracket that is TOP.
std::string lines_of(const Treebank& bank) {
  std::string text;
  for (const Tree& tree : bank.trees) text += "(TOP " + to_text(tree) + ")\n";
  return text;
}

/// The blocks that the program itself prints.
std::vector<Block> ask_evalb(const std::string& folder, const Treebank& gold,
                             const Treebank& test) {
  const testing::ScratchFolder scratch;
  testing::write_file(scratch / "gold", lines_of(gold));
  testing::write_file(scratch / "test", lines_of(test));
  const std::string command = folder + "/evalb -p " + folder + "/COLLINS.prm -e 100000 " +
                              (scratch / "gold").string() + " " + (scratch / "test").string() +
                              " > " + (scratch / "out").string() + " 2> /dev/null";
  REQUIRE(std::system(command.c_str()) == 0);
  std::vector<Block> blocks;
  std::istringstream lines(testing::read_file(scratch / "out"));
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("-- ")) blocks.emplace_back();
    const std::size_t equals = line.find(" = ");
    if (!blocks.empty() && equals != std::string::npos) {
      blocks.back().push_back(std::stod(line.substr(equals + 3)));
    }
  }
  return blocks;
}

}  // namespace

TEST_CASE("parse score: 500 pairs of random trees, as evalb counts them") {
  const testing::JsonView& golden = evalb_golden();
  const GoldenPairs pairs(golden.at("pairs"));
  REQUIRE(pairs.gold.trees.size() == 500);
  check_counts(pairs.gold, pairs.test, {}, golden.at("pairs"));
  const ParseScore score = parse_score(pairs.gold, pairs.test);
  check_block(score.all, golden.at("all").get<Block>());
  check_block(score.short_ones, golden.at("short").get<Block>());
  CHECK(score.signature == "evalb|prm:COLLINS|roots:no|micro|len<=all");
  CHECK(score.short_signature == "evalb|prm:COLLINS|roots:no|micro|len<=40");
}

TEST_CASE("parse score: the treebank sample with brackets moved, as evalb counts it") {
  const auto raw = testing::treebank_sample("test");
  if (!raw) {
    MESSAGE("skipped: no treebank-sample among the shared data");
    return;
  }
  struct Golden {
    std::uint64_t seed, one_in;
    Block all, short_ones;
  };
  const Golden golden[] = {
      {1,
       4,
       {405, 133, 0, 272, 63.31, 60.66, 61.96, 0, 0.14, 87.13, 100, 95.93},
       {389, 123, 0, 266, 63.59, 60.77, 62.15, 0, 0.14, 87.59, 100, 95.87}},
      {2,
       12,
       {405, 19, 0, 386, 86.22, 84.17, 85.18, 3.89, 0.01, 98.7, 100, 99.62},
       {389, 18, 0, 371, 86.33, 84.33, 85.32, 4.04, 0.01, 98.65, 100, 99.61}},
      {3,
       60,
       {405, 1, 0, 404, 97.06, 96.56, 96.81, 43.81, 0, 99.75, 100, 99.99},
       {389, 1, 0, 388, 97.1, 96.57, 96.83, 44.85, 0, 99.74, 100, 99.99}},
  };
  const Treebank gold = cleaned(*raw);
  for (const Golden& row : golden) {
    const Treebank test = perturbed(gold, row.seed, row.one_in);
    const ParseScore score = parse_score(gold, test);
    CAPTURE(row.one_in);
    check_block(score.all, row.all);
    check_block(score.short_ones, row.short_ones);
    const char* evalb = std::getenv("KETTE_EVALB");
    if (evalb == nullptr) continue;
    const std::vector<Block> blocks = ask_evalb(evalb, gold, test);
    REQUIRE(blocks.size() == 2);
    for (const Block& block : blocks) MESSAGE(testing::JsonView(block).dump());
    check_block(score.all, blocks[0]);
    check_block(score.short_ones, blocks[1]);
  }
  // As distributed, with traces and function tags, it is the same gold.
  const Treebank test = perturbed(gold, 2, 12);
  const ParseCounts clean = parse_score(gold, test).all, distributed = parse_score(*raw, test).all;
  CHECK(clean.f1() == distributed.f1());
  CHECK(parse_score(gold, gold).all.f1() == 100);
}

TEST_CASE("parse score: what each sentence adds to F1 tells two parsers apart") {
  const Treebank gold = trees_in("(S (NP (NN a)) (VP (VB b)))\n(S (NN c))\n(NP (NN d))\n");
  const Treebank flat = trees_in("(S (NN a) (VP (VB b)))\n(S (NN c))\n(())\n");
  const ScoreStatistics exact = parse_statistics(gold, gold), other = parse_statistics(gold, flat);
  CHECK(exact.segments() == 3);
  CHECK(exact.score() == 100);
  CHECK(other.sum() == ScoreCounts{3, 4, 3});  // that without a tree counts nowhere
  CHECK(other.score() == parse_score(gold, flat).all.f1());
  CHECK(other.metric().name == "F1");
  CHECK(other.metric().fields == parse_score(gold, flat).signature);
  CHECK(test_significance(exact, exact).bootstrap_p == 1);
  CHECK(test_significance(exact, other).bootstrap_p == test_significance(other, exact).bootstrap_p);
  CHECK(message_of([&] { parse_statistics(gold, trees_in("(S (NN a))")); }) ==
        "trees: expected 3 trees, as many as trees has, given 1 (for a sentence without a tree "
        "write (()), or an empty line where each has a line)");
  CHECK(message_of([&] { ScoreStatistics(other.metric(), {}); }) ==
        "F1: expected counts of at least one segment, given none");
  CHECK(message_of([&] {
          ScoreStatistics(other.metric(), std::vector<ScoreCounts>{{1, 2}, {1}});
        }) == "F1: expected 2 counts of each segment, as of the first, given 1");
}

TEST_CASE("parse score: the traps") {
  const auto counts = [](const std::string& gold, const std::string& test, bool by_gold = false) {
    ParseScoreOptions options;
    options.gold_punctuation = by_gold;
    return parse_counts(trees_in(gold).trees.front(), trees_in(test).trees.front(), options);
  };
  const std::string sentence = "(S (NP (NN a)) (, ,) (VP (VB b)))";
  SUBCASE(
      "a comma tagged as a noun makes an error of the sentence, unless gold says what is left out") {
    const std::string mistagged = "(S (NP (NN a)) (NN ,) (VP (VB b)))";
    CHECK(counts(sentence, mistagged).errors == 1);
    CHECK(counts(sentence, mistagged).gold == 0);
    const ParseCounts by_gold = counts(sentence, mistagged, true);
    CHECK(by_gold.errors == 0);
    CHECK(by_gold.matched == 3);
    CHECK(by_gold.correct_tags == 2);
    CHECK(counts(mistagged, sentence, true).correct_tags == 2);
    CHECK(counts(sentence, "(S (NP (NN a)) (VP (VB b)))", true).errors == 0);  // as evalb
  }
  SUBCASE("the same bracket twice counts twice") {
    const ParseCounts twice = counts("(NP (NP (NN a)))", "(NP (NP (NP (NN a))))");
    CHECK(twice.matched == 2);
    CHECK(twice.gold == 2);
    CHECK(twice.test == 3);
  }
  SUBCASE("a root is of no account, with or without its label, and nothing below it is one") {
    for (const std::string outer :
         {"( ", "(TOP ", "(ROOT ", "(S1 ", "(VROOT ", "( (ROOT (-NONE- *) (S1 "}) {
      const std::string closing(outer.starts_with("( (") ? 3 : 1, ')');
      CHECK(counts(outer + sentence + closing, sentence).complete == 1);
    }
    CHECK(counts("(S (ROOT " + sentence + "))", sentence).gold == 5);
    CHECK(counts("(ROOT (NN c) (ROOT " + sentence + "))", sentence).errors == 1);
  }
  SUBCASE("F1 without a match is 0") { CHECK(counts("(S (NN a))", "(NP (NN a))").f1() == 0); }

  SUBCASE("gold's punctuation is left out, whatever traces gold has") {
    const char* gold = "(S (NP (-NONE- *)) (NP (NN a)) (, ,) (VP (VB b) (NP (-NONE- *T*))))";
    const char* test = "(S (NP (NN a)) (VP (NN ,) (VB b)))";
    CHECK(counts(gold, test).errors == 1);
    const ParseCounts by_gold = counts(gold, test, true);
    CHECK(by_gold.errors == 0);
    CHECK(by_gold.matched == 3);
    CHECK(by_gold.gold == 3);
  }

  ParseScoreOptions options;
  options.gold_punctuation = true;
  CHECK(parse_score(trees_in(sentence), trees_in(sentence), options).short_signature ==
        "evalb|prm:COLLINS|roots:no|micro|punctuation:gold|len<=40");
  CHECK(
      message_of([&] { parse_score(trees_in(sentence), trees_in(sentence + sentence)); }) ==
      "trees: expected 1 trees, as many as trees has, given 2 (for a sentence without a tree write "
      "(()), or an empty line where each has a line)");
  CHECK(message_of([&] { parse_score(trees_in("(S (NN a))\n(())"), trees_in("(())(())")); }) ==
        "trees:2: expected a tree with words, given one without");
}

}  // namespace kette
