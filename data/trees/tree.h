// Constituency trees of the Penn Treebank (Marcus et al. 1993):
//   (S (NP-SBJ (DT The) (NN cat)) (VP (VBZ sleeps)) (. .))
// A leaf is a part-of-speech tag and a word, every other node a label and what it is made of. Read as
// they are written, with function tags, traces and an outer bracket, or cleaned to what parsers are
// trained on and write.
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
  std::string word{};            ///< of a leaf
  std::vector<Tree> children{};  ///< of every other node; none: an empty constituent

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
/// Whether any leaf is a word and no empty element (-NONE-).
bool has_words(const Tree& tree);

/// What a root is: a bracket with one of these labels, TOP, ROOT, S1, VROOT or none, that has no other around it but roots.
/// It says nothing of the sentence: no parser learns it, and no score counts it.
bool is_root_label(std::string_view label);
/// How many roots are around a tree, one in the other.
std::size_t roots_of(const Tree& tree);

/// On one line, as above.
std::string to_text(const Tree& tree);
/// Words joined by spaces, and the reverse.
std::string sentence_of(const Tree& tree);
std::vector<std::string> split_words(std::string_view sentence);

/// Trees and where they stand.
struct Treebank {
  std::string name;  ///< of the file, in errors
  std::vector<Tree> trees;
  std::vector<std::int64_t> lines;  ///< on which each tree begins

  /// "train.mrg:12"
  std::string place(std::size_t tree) const;
};

/// The trees of a text, on one line each or on many. What is no tree is an Error that says where: text
/// outside brackets, a word beside another node, a bracket too many or too few, none at all.
Treebank parse_trees(const TextLines& text, const std::string& name);
/// Those of a file, plain or packed.
Treebank read_trees(const std::filesystem::path& file, const LineLimits& limits = {});
/// A parser's trees for gold's sentences. Where gold has a tree a line and the parser as many lines, each is read for itself,
/// as evalb does: an empty one is a sentence without a tree, and several trees of one line are in a TOP. Otherwise as
/// parse_trees() does.
Treebank parse_trees_beside(const Treebank& gold, const TextLines& text, const std::string& name);
Treebank read_trees_beside(const Treebank& gold, const std::filesystem::path& file,
                           const LineLimits& limits = {});

/// NP-SBJ-1, NP=2 and ADVP|PRT without what follows the first -, = or |; -LRB- and the like as they are.
std::string plain_label(std::string_view label);

/// Without function tags, without traces and other empty elements (-NONE-) and what is made of them
/// alone, and without roots; one that holds more than one tree becomes a TOP. A tree without words is an Error with file and
/// line.
Treebank cleaned(const Treebank& raw);

}  // namespace kette
