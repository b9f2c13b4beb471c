// Constituency trees of the Penn Treebank (Marcus et al. 1993):
//   (S (NP-SBJ (DT The) (NN cat)) (VP (VBZ sleeps)) (. .))
// A leaf is a part-of-speech tag and a word; every other node is a label and children. Trees are
// read as written, with function tags, traces and an outer bracket; cleaned() gives the form that
// parsers are trained on and write.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "data/files/text_file.h"

namespace kette {

struct Tree {
  std::string label;
  std::string word{};            ///< for a leaf
  std::vector<Tree> children{};  ///< for any other node; none: an empty constituent

  bool is_leaf() const { return !word.empty(); }
  friend bool operator==(const Tree&, const Tree&) = default;
};

/// Calls visit(leaf) from left to right.
template <class Visit>
void each_leaf(const Tree& tree, const Visit& visit) {
  if (tree.is_leaf()) visit(tree);
  for (const Tree& child : tree.children) each_leaf(child, visit);
}
std::vector<std::string> words_of(const Tree& tree);
/// Whether any leaf is a word, not an empty element (-NONE-).
bool has_words(const Tree& tree);

/// A root is a bracket with the label TOP, ROOT, S1, VROOT or none, and with no brackets around it
/// but roots. It carries no information: no parser learns it, and no score counts it.
bool is_root_label(std::string_view label);
/// The number of nested roots around a tree.
std::size_t roots_of(const Tree& tree);

/// On one line, in the format above.
std::string to_text(const Tree& tree);
/// Joins words by spaces, and splits them.
std::string sentence_of(const Tree& tree);
std::vector<std::string> split_words(std::string_view sentence);

/// Trees and their lines in a file.
struct Treebank {
  std::string name;  ///< of the file, for errors
  std::vector<Tree> trees;
  std::vector<std::int64_t> lines;  ///< where each tree begins

  /// "train.mrg:12"
  std::string place(std::size_t tree) const;
};

/// The trees of a text, each on one line or several. Anything else is an Error with its place: text
/// outside brackets, a word beside another node, a missing or extra bracket, no tree at all.
Treebank parse_trees(const TextLines& text, const std::string& name);
/// The trees of a file, plain or packed.
Treebank read_trees(const std::filesystem::path& file, const LineLimits& limits = {});
/// A parser's trees for gold's sentences. If gold has one tree per line and the parser as many
/// lines, each line is read separately, as by evalb: an empty line is a sentence without a tree,
/// and several trees on a line are put in a TOP. Otherwise as parse_trees().
Treebank parse_trees_beside(const Treebank& gold, const TextLines& text, const std::string& name);
Treebank read_trees_beside(const Treebank& gold, const std::filesystem::path& file,
                           const LineLimits& limits = {});

/// Cuts NP-SBJ-1, NP=2 and ADVP|PRT at the first -, = or |; keeps -LRB- and the like.
std::string plain_label(std::string_view label);

/// Removes function tags, traces and other empty elements (-NONE-), constituents of only these, and
/// roots; a root with more than one tree becomes a TOP. A tree without words is an Error with file
/// and line.
Treebank cleaned(const Treebank& raw);

}  // namespace kette
