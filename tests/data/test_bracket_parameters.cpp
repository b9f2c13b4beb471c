// Parameter files of evalb, trees line by line, and roots, beside the real evalb. With KETTE_EVALB, its folder, also the sample of
// its authors.
#include <doctest/doctest.h>

#include <cstdlib>

#include "tensor/error.h"
#include "tests/data/evalb_golden.h"
#include "tests/data/tiny_text.h"

namespace kette {

using namespace testing;

TEST_CASE("parse score: with parameter files of every kind, as evalb counts") {
  for (const auto& file : evalb_golden().at("parameters")) {
    CAPTURE(file.at("name").dump());
    const ParseScoreOptions options = with_parameters(file.at("text").text());
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
    const std::filesystem::path files = std::filesystem::path(folder) / row.at("files").text();
    const Treebank gold = read_trees(files.string() + ".gld"),
                   test = read_trees_beside(gold, files.string() + ".tst");
    ParseScoreOptions options;
    options.parameters =
        read_bracket_parameters(std::filesystem::path(folder) / row.at("parameters").text());
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

}  // namespace kette
