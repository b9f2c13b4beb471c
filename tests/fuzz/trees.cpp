// Trees and parameter files of any text: what is accepted is written and read back as it was, and goes to symbols and back; the
// score of trees beside themselves is 100, or there is nothing to score.
#include "data/metrics/parse_score.h"
#include "data/trees/linear_tree.h"
#include "tests/fuzz/targets.h"

namespace kette::fuzz {
namespace {

std::vector<std::string> seeds() {
  return {
      joined({"( (S (NP-SBJ (DT The) (NN cat)) (VP (VBZ sleeps)\n) (. .)))",
              "(S (NP (DT The) (NN cat) (-NONE- *)) (PRT=1 (VBZ sleeps)) (. .))",
              "# Collins\nDELETE_LABEL .\nEQ_LABEL ADVP PRT\nMAX_ERROR 10\n"}),
      joined({"(NN a)\n(S (X (X (, b))))", "(())(())", "QUOTE_LABEL NN\nLABELED 0\nEQ_WORD a b"}),
      joined({"(S (`` \"))\n(ROOT (S (NN a)))", "\n(NN a) (NN b)",
              "QUOTE_LABEL ``\nQUOTE_LABEL NN\nDELETE_LABEL NN\nCUTOFF_LEN 0"})};
}

void read_back(const Treebank& raw) {
  for (const Tree& tree : raw.trees) {
    must("a tree that was read", [&] {
      const Treebank again = parse_trees(TextLines(to_text(tree), "again"), "again");
      expect(again.trees.size() == 1, "one tree");
      expect(again.trees.front() == tree, "the tree that was written");
    });
  }
  const Treebank bank = cleaned(raw);
  symbols_of(bank);
  for (const Tree& tree : bank.trees) {
    must("symbols of a clean tree", [&] {
      expect(tree_of(linearised(tree), words_of(tree)) == tree, "the tree of its symbols");
    });
  }
}

void read(std::string_view input) {
  const auto files = parts(input, 3);
  const Treebank gold = parse_trees(TextLines(std::string(files[0]), "gold"), "gold"),
                 test = parse_trees_beside(gold, TextLines(std::string(files[1]), "test"), "test");
  const ParseScore itself = parse_score(gold, gold);
  expect(itself.all.gold == 0 || itself.all.f1() > 100 - 1e-9, "100 for trees beside themselves");
  ParseScoreOptions options;
  options.gold_punctuation = true;
  for (const ParseScore& score : {parse_score(gold, test), parse_score(gold, test, options)}) {
    expect(score.all.f1() >= 0 && score.all.f1() <= 100, "a score from 0 to 100");
    expect(score.all.valid() >= 0, "at most as many errors as sentences");
  }
  read_back(gold);
  options.gold_punctuation = false;
  options.parameters = parse_bracket_parameters(TextLines(std::string(files[2]), "prm"), "prm");
  const ParseScore own = parse_score(gold, test, options);
  expect(own.all.f1() >= 0 && own.all.f1() <= 100, "a score from 0 to 100");
  expect(own.lone_roots <= own.all.valid(), "at most as many roots as sentences");
}

}  // namespace

const Target trees = {"trees", seeds, read};

}  // namespace kette::fuzz
