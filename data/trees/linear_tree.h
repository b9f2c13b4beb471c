// Trees as sequences of symbols, for models that write sequences (Vinyals et al. 2015, "Grammar as
// a Foreign Language", in the form of the tensor2tensor of Vaswani et al. 2017):
//   (S (NP (DT The) (NN cat)) (VP (VBZ sleeps)))  ->  S NP DT NN /NP VP VBZ /VP /S
// A constituent is its label, its children, and its label after a slash. A leaf is its tag, without
// the word; the words are restored by counting.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "data/trees/tree.h"

namespace kette {

inline constexpr char kClosing = '/';

/// tree: cleaned.
std::vector<std::string> linearised(const Tree& tree);
/// The same as a line of text.
std::string linearised_line(const Tree& tree);
/// The reverse: the tree of these symbols over these words. An Error unless the symbols are one
/// tree with this number of words.
Tree tree_of(std::span<const std::string> symbols, std::span<const std::string> words);

/// The symbols of linearised trees.
struct TreeSymbols {
  std::set<std::string> labels, tags;

  /// The first label or tag of a cleaned tree that is not among these; empty: all are.
  std::string unknown_in(const Tree& tree) const;
};
/// The symbols of cleaned trees. A label that is also a tag, or that begins with a slash, could not
/// be read back and is an Error with file and line.
TreeSymbols symbols_of(const Treebank& bank);
/// The same for several files together.
TreeSymbols symbols_of(const std::vector<Treebank>& banks);

}  // namespace kette
