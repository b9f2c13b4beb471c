#include "data/trees/linear_tree.h"

#include <utility>

#include "tensor/error.h"

namespace kette {
namespace {

void append_symbols(const Tree& tree, std::vector<std::string>& symbols) {
  symbols.push_back(tree.label);
  if (tree.is_leaf()) return;
  for (const Tree& child : tree.children) append_symbols(child, symbols);
  symbols.push_back(kClosing + tree.label);
}

/// Calls visit(node) for every node.
template <class Visit>
void each_node(const Tree& tree, const Visit& visit) {
  visit(tree);
  for (const Tree& child : tree.children) each_node(child, visit);
}

}  // namespace

std::vector<std::string> linearised(const Tree& tree) {
  std::vector<std::string> symbols;
  append_symbols(tree, symbols);
  return symbols;
}

std::string linearised_line(const Tree& tree) {
  std::string line;
  for (const std::string& symbol : linearised(tree)) line += (line.empty() ? "" : " ") + symbol;
  return line;
}

Tree tree_of(std::span<const std::string> symbols, std::span<const std::string> words) {
  std::set<std::string> labels;  // a symbol that is closed anywhere is a label
  for (const std::string& symbol : symbols) {
    if (symbol.starts_with(kClosing)) labels.insert(symbol.substr(1));
  }
  Tree root;  // around the tree
  std::vector<Tree> open;
  std::size_t word = 0;
  const auto add = [&](Tree node) {
    KETTE_CHECK(!open.empty() || root.children.empty(), "tree: expected one root, given a second, ",
                node.label);
    (open.empty() ? root : open.back()).children.push_back(std::move(node));
  };
  for (const std::string& symbol : symbols) {
    if (labels.contains(symbol)) {
      open.push_back({symbol});
    } else if (symbol.starts_with(kClosing)) {
      KETTE_CHECK(!open.empty() && open.back().label == symbol.substr(1), "tree: expected ",
                  open.empty() ? "nothing open" : kClosing + open.back().label, ", given ", symbol);
      KETTE_CHECK(!open.back().children.empty(), "tree: expected constituents with words, given ",
                  symbol, " after ", symbol.substr(1));
      Tree closed = std::move(open.back());
      open.pop_back();
      add(std::move(closed));
    } else {
      KETTE_CHECK(word < words.size(), "tree: expected ", words.size(),
                  " tags, one for each word, given more");
      add({symbol, words[word++]});
    }
  }
  KETTE_CHECK(
      open.empty() && !root.children.empty(), "tree: expected symbols of a whole tree, given ",
      open.empty() ? "none"
                   : "no " + (kClosing + open.back().label) + " for the last " + open.back().label);
  KETTE_CHECK(word == words.size(), "tree: expected ", words.size(),
              " tags, one for each word, given ", word);
  return std::move(root.children.front());
}

std::string TreeSymbols::unknown_in(const Tree& tree) const {
  std::string unknown;
  each_node(tree, [&](const Tree& node) {
    const std::set<std::string>& known = node.is_leaf() ? tags : labels;
    if (unknown.empty() && !known.contains(node.label)) unknown = node.label;
  });
  return unknown;
}

TreeSymbols symbols_of(const Treebank& bank) { return symbols_of(std::vector<Treebank>{bank}); }

TreeSymbols symbols_of(const std::vector<Treebank>& banks) {
  TreeSymbols symbols;
  std::set<std::string>&labels = symbols.labels, &tags = symbols.tags;
  for (const Treebank& bank : banks) {
    for (std::size_t i = 0; i < bank.trees.size(); ++i) {
      each_node(bank.trees[i], [&](const Tree& node) {
        KETTE_CHECK(!node.label.starts_with(kClosing), bank.place(i),
                    ": expected labels that do not begin with ", kClosing, ", given ", node.label);
        (node.is_leaf() ? tags : labels).insert(node.label);
        KETTE_CHECK(!labels.contains(node.label) || !tags.contains(node.label), bank.place(i),
                    ": expected labels of constituents that no word has as its tag, given ",
                    node.label, " as both");
      });
    }
  }
  return symbols;
}

}  // namespace kette
