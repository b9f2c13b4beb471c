// Trees from brackets, cleaned, as symbols, and back.
#include <doctest/doctest.h>

#include <algorithm>

#include "data/trees/linear_tree.h"
#include "tensor/error.h"
#include "tests/data/tiny_text.h"
#include "tests/data/treebank.h"

namespace kette {
namespace {

using testing::contains;
using testing::message_of;
using testing::treebank_sample;
using testing::trees_in;

std::string refused(const std::string& text) {
  return message_of([&] { cleaned(trees_in(text)); });
}

std::string on_one_line(const std::vector<std::string>& symbols) {
  std::string line;
  for (const std::string& symbol : symbols) line += (line.empty() ? "" : " ") + symbol;
  return line;
}

std::int64_t inner_nodes(const Tree& tree) {
  std::int64_t count = tree.is_leaf() ? 0 : 1;
  for (const Tree& child : tree.children) count += inner_nodes(child);
  return count;
}

/// Symbols from nothing but the text of brackets: an opening one with what stands behind it, each closing
/// one of a constituent.
std::string symbols_of_text(const std::string& text) {
  std::string line;
  std::vector<std::string> open;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '(') {
      open.push_back(text.substr(at + 1, text.find(' ', at) - at - 1));
      line += (line.empty() ? "" : " ") + open.back();
    } else if (text[at] == ')') {
      if (text[at - 1] == ')') line += " /" + open.back();
      open.pop_back();
    }
  }
  return line;
}

}  // namespace

TEST_CASE("trees are read as they are written, on one line or on many") {
  const Treebank bank = trees_in(testing::kWrittenTrees);
  REQUIRE(bank.trees.size() == 2);
  CHECK(bank.lines == std::vector<std::int64_t>{1, 9});
  CHECK(bank.place(1) == "trees:9");
  CHECK(to_text(bank.trees[1]) == "( (S=2 (NP-SBJ (-NONE- *)) (VP (VB Sleep)) (. !)))");
  const Treebank again = trees_in(to_text(bank.trees[0]) + to_text(bank.trees[1]));
  CHECK(again.trees == bank.trees);
  CHECK(again.lines == std::vector<std::int64_t>{1, 1});
  CHECK(trees_in("\xEF\xBB\xBF(S\t(NN\r\n  x)\r\n)").trees.front() ==
        Tree{"S", {}, {Tree{"NN", "x"}}});
}

TEST_CASE("clean trees have no function tags, no traces and no outer bracket") {
  const Treebank bank = cleaned(trees_in(testing::kWrittenTrees));
  CHECK(
      to_text(bank.trees[0]) ==
      "(S (NP (DT The) (JJ old) (NN cat)) (VP (VBD was) (VP (VBN seen) (PP (IN on) (NP (DT the) (NN "
      "mat) (-LRB- -LRB-) (ADVP (RB again)) (-RRB- -RRB-))))) (. .))");
  CHECK(to_text(bank.trees[1]) == "(S (VP (VB Sleep)) (. !))");
  CHECK(sentence_of(bank.trees[1]) == "Sleep !");
  CHECK(bank.lines == std::vector<std::int64_t>{1, 9});
  for (const char* root : {"", "TOP", "ROOT", "S1", "TOP (TOP"}) {
    std::string text = std::string("(") + root + " (S (NN x)))";
    if (std::string_view(root).ends_with("(TOP")) text += ")";
    CAPTURE(text);
    CHECK(to_text(cleaned(trees_in(text)).trees.front()) == "(S (NN x))");
  }
  CHECK(to_text(cleaned(trees_in("((S (NN x)) (. .))")).trees.front()) == "(TOP (S (NN x)) (. .))");
  CHECK(plain_label("NP-SBJ=3") == "NP");
  CHECK(plain_label("-RRB-") == "-RRB-");
  CHECK(plain_label("PRP$") == "PRP$");
}

TEST_CASE("what is no tree is refused with file and line") {
  CHECK(refused("The cat sleeps .\n") ==
        "trees:1: expected (, as a tree begins, given The; is this a file of trees?");
  CHECK(refused("(S (NN x))\n\n(S (NN y)))\n") ==
        "trees:3: expected (, as a tree begins, given ) too many");
  CHECK(refused("(S (NN x))\n(S\n (NN y)\n") ==
        "trees:2: expected a tree with as many ) as (, given 1 ) too few");
  CHECK(refused("(S (NN x)\n (VB y z))") == "trees:2: expected one word in a leaf, given y and z");
  CHECK(refused("(S (NN x)\n y)") == "trees:2: expected a bracket after those of S, given y");
  CHECK(refused("(S x (NN y))") == "trees:1: expected ) after the word x, given (");
  CHECK(refused(" \n\n") ==
        "trees: expected trees in brackets, (S (NP ...) ...), given a file without any");
  CHECK(refused("(S (NN x))\n( (S (NP (-NONE- *))))") ==
        "trees:2: expected a tree with words, given one without: ( (S (NP (-NONE- *))))");
  CHECK(refused("()") == "trees:1: expected a tree with words, given one without: ()");
  CHECK(refused("(S (NN x)\n ( (NN y)))") ==
        "trees:1: expected a label after each inner (, given none: ( (NN y))");
  CHECK(contains(refused(std::string(100000, '(')),
                 "trees:1: expected a tree of at most 500 levels"));
  const testing::ScratchFolder folder;
  testing::write_file(folder / "none", "");
  CHECK(contains(message_of([&] { read_trees(folder / "none"); }), "given an empty file"));
}

TEST_CASE("a tree as symbols comes back with its words") {
  const Treebank bank = cleaned(trees_in(testing::kWrittenTrees));
  const std::vector<std::string> symbols = linearised(bank.trees[1]);
  CHECK(on_one_line(symbols) == "S VP VB /VP . /S");
  for (const Tree& tree : bank.trees) {
    CHECK(on_one_line(linearised(tree)) == symbols_of_text(to_text(tree)));
    CHECK(tree_of(linearised(tree), words_of(tree)) == tree);
  }
  const Tree leaf{"UH", "Yes"};
  CHECK(tree_of(linearised(leaf), words_of(leaf)) == leaf);

  using Symbols = std::vector<std::string>;
  const auto said = [](const Symbols& given, const Symbols& words) {
    return message_of([&] { tree_of(given, words); });
  };
  CHECK(said({"S", "NN", "/S"}, {"x", "y"}) == "tree: expected 2 tags, one for each word, given 1");
  CHECK(said({"S", "NN", "NN", "/S"}, {"x"}) ==
        "tree: expected 1 tags, one for each word, given more");
  CHECK(said({"S", "NP", "NN", "/S", "/NP"}, {"x"}) == "tree: expected /NP, given /S");
  CHECK(said({"S", "NN", "/S", "/S"}, {"x"}) == "tree: expected nothing open, given /S");
  CHECK(said({"S", "NN", "/S", "S", "NN", "/S"}, {"x", "y"}) ==
        "tree: expected one root, given a second, S");
  CHECK(said({"S", "S", "NN", "/S"}, {"x"}) ==
        "tree: expected symbols of a whole tree, given no /S for the last S");
  CHECK(said({"S", "NP", "/NP", "NN", "/S"}, {"x"}) ==
        "tree: expected constituents with words, given /NP after NP");
  CHECK(said({}, {}) == "tree: expected symbols of a whole tree, given none");
}

TEST_CASE("symbols of a treebank: labels and tags are told apart") {
  const TreeSymbols symbols = symbols_of(cleaned(trees_in(testing::kWrittenTrees)));
  CHECK(symbols.labels == std::set<std::string>{"ADVP", "NP", "PP", "S", "VP"});
  CHECK(symbols.tags.size() == 11);
  CHECK(message_of([&] { symbols_of(trees_in("(S (NN x))\n(NN (VB y))")); }) ==
        "trees:2: expected labels of constituents that no word has as its tag, given NN as both");
  CHECK(message_of([&] { symbols_of(trees_in("(/S (NN x))")); }) ==
        "trees:1: expected labels that do not begin with /, given /S");
}

TEST_CASE("all trees of the treebank sample go to symbols and back") {
  struct Expected {
    const char* part;
    std::size_t trees;
    std::int64_t words, constituents;
  };
  for (const auto& [part, trees, words, constituents] :
       {Expected{"train", 3262, 78539, 61332}, Expected{"dev", 247, 6088, 4783},
        Expected{"test", 405, 9457, 7346}}) {
    const auto raw = treebank_sample(part);
    if (!raw) {
      MESSAGE("skipped: no treebank-sample among the shared data");
      return;
    }
    const Treebank bank = cleaned(*raw);
    CHECK(bank.trees.size() == trees);
    const TreeSymbols symbols = symbols_of(bank);
    CHECK(symbols.labels.size() < 30);
    CHECK(symbols.tags.size() < 50);
    std::int64_t all_words = 0, inner = 0;
    bool same = true;
    for (const Tree& tree : bank.trees) {
      const std::vector<std::string> line = linearised(tree), these = words_of(tree);
      same = same && tree_of(line, these) == tree &&
             on_one_line(line) == symbols_of_text(to_text(tree)) &&
             trees_in(to_text(tree)).trees.front() == tree;
      all_words += std::ssize(these);
      inner += inner_nodes(tree);
    }
    CHECK(same);
    CHECK(all_words == words);
    CHECK(inner == constituents);
  }
}

}  // namespace kette
