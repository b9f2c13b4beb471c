// Labelled brackets beside the real evalb: random trees, parameter files, and the treebank sample with brackets moved. With
// KETTE_EVALB, evalb's folder, its authors' own sample is scored, and the program itself is asked again.
#include <doctest/doctest.h>

#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "data/metrics/parse_score.h"
#include "data/metrics/significance.h"
#include "tensor/error.h"
#include "tensor/splitmix.h"
#include "tests/data/tiny_text.h"
#include "tests/data/treebank.h"

namespace kette {
namespace {

using testing::message_of;
using testing::trees_in;

/// evalb's block of numbers: sentences, errors, skipped, valid; recall, precision, F1, complete, mean
/// crossing, without, with few, tags.
using Block = std::vector<double>;

void check_block(const ParseCounts& counts, const Block& block) {
  REQUIRE(block.size() == 12);
  const double ours[] = {static_cast<double>(counts.sentences),
                         static_cast<double>(counts.errors),
                         static_cast<double>(counts.skipped),
                         static_cast<double>(counts.valid()),
                         counts.recall(),
                         counts.precision(),
                         counts.f1(),
                         counts.complete_match(),
                         counts.mean_crossing(),
                         counts.without_crossing(),
                         counts.with_few_crossing(),
                         counts.tagging_accuracy()};
  for (std::size_t i = 0; i < block.size(); ++i) {
    CAPTURE(i);
    CHECK(std::abs(ours[i] - block[i]) < 0.0051);  // it prints two decimals
  }
}

const nlohmann::json& evalb_golden() {
  static const nlohmann::json golden = nlohmann::json::parse(
      testing::read_file(testing::source_folder() / "tests/fixtures/evalb_golden.json"));
  return golden;
}

/// length, status, matched, gold, test, crossing, words, correct tags
void check_counts(const ParseCounts& counts, const nlohmann::json& row) {
  const int status = counts.errors != 0 ? 1 : counts.skipped != 0 ? 2 : 0;
  CHECK(status == row[1]);
  CHECK(counts.matched == row[2]);
  CHECK(counts.gold == row[3]);
  CHECK(counts.test == row[4]);
  CHECK(counts.crossing == row[5]);
  CHECK(counts.words == row[6]);
  CHECK(counts.correct_tags == row[7]);
}

/// Both sides of golden pairs, a tree a line.
struct GoldenPairs {
  Treebank gold, test;

  explicit GoldenPairs(const nlohmann::json& pairs) {
    std::string gold_text, test_text;
    for (const auto& pair : pairs) {
      gold_text += pair.at("gold").get<std::string>() + "\n";
      test_text += pair.at("test").get<std::string>() + "\n";
    }
    gold = trees_in(gold_text);
    test = parse_trees_beside(gold, TextLines(test_text, "test"), "test");
  }
};

void check_counts(const Treebank& gold, const Treebank& test, const ParseScoreOptions& options,
                  const nlohmann::json& rows) {
  REQUIRE(gold.trees.size() == rows.size());
  REQUIRE(test.trees.size() == rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CAPTURE(rows[i].dump());
    check_counts(parse_counts(gold.trees[i], test.trees[i], options),
                 rows[i].is_array() ? rows[i] : rows[i].at("counts"));
  }
}

ParseScoreOptions with_parameters(const std::string& text) {
  ParseScoreOptions options;
  options.parameters = parse_bracket_parameters(TextLines(text, "prm"), "prm");
  return options;
}

/// What COLLINS.prm says, as a file.
const std::string kCollins =
    "# Collins\n\nDELETE_LABEL TOP\nDELETE_LABEL -NONE-\nDELETE_LABEL ,\nDELETE_LABEL :\n"
    "DELETE_LABEL ``\nDELETE_LABEL ''\nDELETE_LABEL .\nDELETE_LABEL_FOR_LENGTH -NONE-\n"
    "EQ_LABEL ADVP PRT\nCUTOFF_LEN 40\nLABELED 1 \nMAX_ERROR 1000\n";

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
  const nlohmann::json& golden = evalb_golden();
  const GoldenPairs pairs(golden.at("pairs"));
  REQUIRE(pairs.gold.trees.size() == 500);
  check_counts(pairs.gold, pairs.test, {}, golden.at("pairs"));
  const ParseScore score = parse_score(pairs.gold, pairs.test);
  check_block(score.all, golden.at("all").get<Block>());
  check_block(score.short_ones, golden.at("short").get<Block>());
  CHECK(score.signature == "evalb|prm:COLLINS|roots:no|micro|len<=all");
  CHECK(score.short_signature == "evalb|prm:COLLINS|roots:no|micro|len<=40");
}

TEST_CASE("parse score: with parameter files of every kind, as evalb counts") {
  for (const auto& file : evalb_golden().at("parameters")) {
    CAPTURE(file.at("name").dump());
    const ParseScoreOptions options = with_parameters(file.at("text"));
    const GoldenPairs pairs(file.at("pairs"));
    check_counts(pairs.gold, pairs.test, options, file.at("pairs"));
    const ParseScore score = parse_score(pairs.gold, pairs.test, options);
    check_block(score.all, file.at("all").get<Block>());
    check_block(score.short_ones, file.at("short").get<Block>());
  }
}

TEST_CASE("parse score: line by line, with all kinds of roots, as evalb counts") {
  const auto& rows = evalb_golden().at("lines");
  const GoldenPairs pairs(rows);
  check_counts(pairs.gold, pairs.test, with_parameters(kCollins), rows);
  // Without roots the same trees are right, whatever stands around them.
  for (const std::size_t right : {0U, 4U, 5U, 6U}) {
    const ParseCounts counts = parse_counts(pairs.gold.trees[right], pairs.test.trees[right]);
    CHECK(counts.gold == 3);
    CHECK(counts.complete == 1);
  }
  CHECK(parse_counts(pairs.gold.trees[8], pairs.test.trees[8]).gold == 3);
}

TEST_CASE("parse score: the sample of evalb's authors") {
  const char* folder = std::getenv("KETTE_EVALB");
  if (folder == nullptr) {
    MESSAGE("skipped: KETTE_EVALB names no folder of evalb");
    return;
  }
  for (const auto& row : evalb_golden().at("samples")) {
    CAPTURE(row.dump());
    const std::filesystem::path files =
        std::filesystem::path(folder) / row.at("files").get<std::string>();
    const Treebank gold = read_trees(files.string() + ".gld"),
                   test = read_trees_beside(gold, files.string() + ".tst");
    ParseScoreOptions options;
    options.parameters = read_bracket_parameters(std::filesystem::path(folder) /
                                                 row.at("parameters").get<std::string>());
    check_counts(gold, test, options, row.at("counts"));
    check_block(parse_score(gold, test, options).short_ones, row.at("short").get<Block>());
  }
}

TEST_CASE("parse score: what a parameter file may say") {
  const BracketParameters parameters =
      parse_bracket_parameters(TextLines("#\n\tDELETE_LABEL \t A B  \nEQ_WORD a\tb\n", "x"), "x");
  CHECK(parameters.deleted == BracketParameters::Labels{"A B"});  // as evalb, to the line's end
  CHECK(parameters.are_same_words("b", "a"));
  CHECK(parameters.cutoff == 40);
  CHECK(parameters.most_errors == 10);
  const auto refused = [](const std::string& line) {
    return message_of([&] { parse_bracket_parameters(TextLines("\n" + line, "x"), "x"); });
  };
  CHECK(refused("DELETE_LABEL") == "x:2: expected a value after DELETE_LABEL, given none");
  CHECK(refused("EQ_LABEL A") == "x:2: EQ_LABEL: expected two values, given A");
  CHECK(refused("EQ_LABEL A B C") == "x:2: EQ_LABEL: expected two values, given A B C");
  CHECK(refused("CUTOFF_LEN ten") == "x:2: CUTOFF_LEN: expected a whole number, given ten");
  CHECK(refused("DELETE A").find("x:2: expected a keyword of evalb (DELETE_LABEL,") == 0);

  // evalb stops at the error after the one after MAX_ERROR.
  const Treebank gold = trees_in("(S (NN a))\n(S (NN a))\n(S (NN a))\n"),
                 test = trees_in("(S (NN b))\n(S (NN b))\n(S (NN b))\n");
  CHECK(parse_score(gold, test, with_parameters("MAX_ERROR 2")).all.errors == 3);
  CHECK(message_of([&] { parse_score(gold, test, with_parameters("MAX_ERROR 1")); }) ==
        "trees: expected at most 2 sentences whose words are not gold's, which MAX_ERROR 1 of "
        "prm.prm lets pass, given 3");
}

TEST_CASE("parse score: roots that are in one file alone are told") {
  const Treebank rooted = trees_in("(ROOT (S (NN a)))\n(ROOT (S (NP (NN b))))\n"),
                 bare = trees_in("(S (NN a))\n(S (NP (NN b)))\n");
  const ParseScore score = parse_score(rooted, bare, with_parameters(kCollins));
  CHECK(score.all.f1() == 100 * 2 * 3.0 / 8);
  CHECK(score.rootless.f1() == 100);
  CHECK(score.lone_roots == 2);
  CHECK(score.signature == "evalb|prm:prm|micro|len<=all");
  CHECK(parse_score(bare, rooted, with_parameters(kCollins)).lone_roots == 2);
  CHECK(parse_score(rooted, rooted, with_parameters(kCollins)).lone_roots == 0);
  CHECK(parse_score(bare, bare, with_parameters(kCollins)).lone_roots == 0);
  CHECK(parse_score(rooted, bare).all.f1() == 100);
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
    for (const Block& block : blocks) MESSAGE(nlohmann::json(block).dump());
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
