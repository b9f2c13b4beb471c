// Trees as sequences of symbols, for models that write sequences (Vinyals et al. 2015, "Grammar as a
// Foreign Language", in the form of the tensor2tensor of Vaswani et al. 2017):
//   (S (NP (DT The) (NN cat)) (VP (VBZ sleeps)))  ->  S NP DT NN /NP VP VBZ /VP /S
// A constituent is its label, what it is made of, and the label after a slash; a leaf is its tag, without
// the word. The words come back by counting.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "data/trees/tree.h"

namespace kette {

inline constexpr char kClosing = '/';

/// Of a cleaned tree.
std::vector<std::string> linearised(const Tree& tree);
/// The same as a line of text.
std::string linearised_line(const Tree& tree);
/// The tree of these symbols over these words: the reverse. An Error if the symbols are not those of one
/// tree, or of one with another number of words.
Tree tree_of(std::span<const std::string> symbols, std::span<const std::string> words);

/// What linearised trees are written with.
struct TreeSymbols {
  std::set<std::string> labels, tags;

  /// The first label or tag of a cleaned tree that is none of these; empty: there is none.
  std::string unknown_in(const Tree& tree) const;
};
/// Of cleaned trees. A label that is a tag, too, or one that begins with a slash, could not be read back and
/// is an Error with file and line.
TreeSymbols symbols_of(const Treebank& bank);
/// Of several files together.
TreeSymbols symbols_of(const std::vector<Treebank>& banks);

}  // namespace kette
