#include "data/trees/tree.h"

#include <optional>
#include <utility>

#include "tensor/error.h"

namespace kette {
namespace {

/// Much deeper than any tree of language. A limit, since functions on trees recurse.
constexpr std::size_t kDeepest = 500;
constexpr std::string_view kEmptyElement = "-NONE-";
constexpr std::string_view kRoot = "TOP";

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_bracket(char c) { return c == '(' || c == ')'; }

/// For messages.
std::string shortened(std::string_view text) {
  constexpr std::size_t kMost = 30;
  return std::string(text.substr(0, kMost)) + (text.size() > kMost ? "..." : "");
}

/// Reads a text in parts: a bracket, or a word up to the next bracket or space.
class TreeReader {
 public:
  explicit TreeReader(const std::string& name) { bank_.name = name; }

  void read_line(std::string_view line) {
    ++line_;
    for (std::size_t at = 0; at < line.size();) {
      const char c = line[at];
      if (is_space(c)) {
        after_open_ = false;
        ++at;
      } else if (c == '(') {
        open();
        ++at;
      } else if (c == ')') {
        close();
        ++at;
      } else {
        std::size_t end = at;
        while (end < line.size() && !is_space(line[end]) && !is_bracket(line[end])) ++end;
        add(line.substr(at, end - at));
        at = end;
      }
    }
    after_open_ = false;
  }

  bool is_within_tree() const { return !open_.empty(); }

  /// The trees that were completed since the last call.
  std::vector<Tree> take() {
    bank_.lines.clear();
    return std::exchange(bank_.trees, {});
  }

  Treebank finish() {
    KETTE_CHECK(open_.empty(), here(begun_), ": expected a tree with as many ) as (, given ",
                open_.size(), " ) too few");
    KETTE_CHECK(!bank_.trees.empty(), bank_.name,
                ": expected trees in brackets, (S (NP ...) ...), given a file without any");
    return std::move(bank_);
  }

 private:
  std::string here(std::int64_t line) const { return bank_.name + ":" + std::to_string(line); }

  void open() {
    if (open_.empty()) {
      begun_ = line_;
    } else {
      const Tree& parent = open_.back();
      KETTE_CHECK(!parent.is_leaf(), here(line_), ": expected ) after the word ",
                  shortened(parent.word), ", given (");
    }
    KETTE_CHECK(open_.size() < kDeepest, here(line_), ": expected a tree of at most ", kDeepest,
                " levels, given a deeper one");
    open_.push_back({});
    after_open_ = true;
  }

  /// Adds a label, directly after its bracket, or a word.
  void add(std::string_view text) {
    KETTE_CHECK(!open_.empty(), here(line_), ": expected (, as a tree begins, given ",
                shortened(text), "; is this a file of trees?");
    Tree& node = open_.back();
    if (std::exchange(after_open_, false)) {
      node.label = text;
      return;
    }
    KETTE_CHECK(!node.is_leaf(), here(line_), ": expected one word in a leaf, given ",
                shortened(node.word), " and ", shortened(text));
    KETTE_CHECK(node.children.empty(), here(line_), ": expected a bracket after those of ",
                node.label.empty() ? "the outermost" : node.label, ", given ", shortened(text));
    node.word = text;
  }

  void close() {
    KETTE_CHECK(!open_.empty(), here(line_), ": expected (, as a tree begins, given ) too many");
    after_open_ = false;
    Tree node = std::move(open_.back());
    open_.pop_back();
    if (!open_.empty()) {
      open_.back().children.push_back(std::move(node));
    } else {
      bank_.trees.push_back(std::move(node));
      bank_.lines.push_back(begun_);
    }
  }

  Treebank bank_;
  std::vector<Tree> open_;
  std::int64_t line_ = 0, begun_ = 0;
  bool after_open_ = false;
};

void append_text(const Tree& tree, std::string& text) {
  text += "(" + tree.label;
  if (tree.is_leaf()) text += " " + tree.word;
  for (const Tree& child : tree.children) {
    text += ' ';
    append_text(child, text);
  }
  text += ')';
}

/// Cleans a tree; returns whether anything is left. Nodes below the outer bracket need labels.
bool clean(Tree& tree, const std::string& place) {
  if (tree.is_leaf() && tree.label == kEmptyElement) return false;
  tree.label = plain_label(tree.label);
  std::vector<Tree> kept;
  for (Tree& child : tree.children) {
    if (!clean(child, place)) continue;
    KETTE_CHECK(!child.label.empty(), place,
                ": expected a label after each inner (, given none: ", shortened(to_text(child)));
    kept.push_back(std::move(child));
  }
  tree.children = std::move(kept);
  return tree.is_leaf() || !tree.children.empty();
}

/// Reads each line separately; nothing if a tree continues on the next line.
std::optional<Treebank> sentence_lines(const TextLines& text, const std::string& name) {
  TreeReader reader(name);
  Treebank bank{name, {}, {}};
  for (const std::string_view line : text.views()) {
    reader.read_line(line);
    if (reader.is_within_tree()) return std::nullopt;
    std::vector<Tree> found = reader.take();
    bank.trees.push_back(found.empty()       ? Tree{}
                         : found.size() == 1 ? std::move(found.front())
                                             : Tree{std::string(kRoot), {}, std::move(found)});
    bank.lines.push_back(std::ssize(bank.trees));
  }
  return bank;
}

bool has_a_tree_a_line(const Treebank& bank) {
  for (std::size_t i = 0; i < bank.lines.size(); ++i) {
    if (bank.lines[i] != static_cast<std::int64_t>(i) + 1) return false;
  }
  return true;
}

/// Removes empty lines at the end beyond `sentences`.
void shorten(Treebank& bank, std::size_t sentences) {
  while (bank.trees.size() > sentences && bank.trees.back() == Tree{}) {
    bank.trees.pop_back();
    bank.lines.pop_back();
  }
}

}  // namespace

std::vector<std::string> words_of(const Tree& tree) {
  std::vector<std::string> words;
  each_leaf(tree, [&](const Tree& leaf) { words.push_back(leaf.word); });
  return words;
}

bool has_words(const Tree& tree) {
  bool has = false;
  each_leaf(tree, [&](const Tree& leaf) { has = has || leaf.label != kEmptyElement; });
  return has;
}

bool is_root_label(std::string_view label) {
  return label.empty() || label == kRoot || label == "ROOT" || label == "S1" || label == "VROOT";
}

std::size_t roots_of(const Tree& tree) {
  if (tree.is_leaf() || !is_root_label(plain_label(tree.label))) return 0;
  const Tree* only = nullptr;
  for (const Tree& child : tree.children) {
    if (!has_words(child)) continue;
    if (only) return 1;
    only = &child;
  }
  return only ? 1 + roots_of(*only) : 1;
}

std::string to_text(const Tree& tree) {
  std::string text;
  append_text(tree, text);
  return text;
}

std::string sentence_of(const Tree& tree) {
  std::string text;
  each_leaf(tree, [&](const Tree& leaf) { text += (text.empty() ? "" : " ") + leaf.word; });
  return text;
}

std::vector<std::string> split_words(std::string_view sentence) {
  std::vector<std::string> words;
  bool within = false;
  for (const char c : sentence) {
    if (is_space(c)) {
      within = false;
      continue;
    }
    if (!std::exchange(within, true)) words.emplace_back();
    words.back() += c;
  }
  return words;
}

std::string Treebank::place(std::size_t tree) const {
  return name + ":" + std::to_string(lines[tree]);
}

Treebank parse_trees(const TextLines& text, const std::string& name) {
  TreeReader reader(name);
  for (const std::string_view line : text.views()) reader.read_line(line);
  return reader.finish();
}

Treebank read_trees(const std::filesystem::path& file, const LineLimits& limits) {
  return parse_trees(read_lines(file, limits), file.string());
}

Treebank parse_trees_beside(const Treebank& gold, const TextLines& text, const std::string& name) {
  if (has_a_tree_a_line(gold)) {
    std::optional<Treebank> lines = sentence_lines(text, name);
    if (lines) shorten(*lines, gold.trees.size());
    if (lines && lines->trees.size() == gold.trees.size()) return std::move(*lines);
  }
  return parse_trees(text, name);
}

Treebank read_trees_beside(const Treebank& gold, const std::filesystem::path& file,
                           const LineLimits& limits) {
  return parse_trees_beside(gold, read_lines(file, limits), file.string());
}

std::string plain_label(std::string_view label) {
  if (label.starts_with('-')) return std::string(label);
  return std::string(label.substr(0, label.find_first_of("-=|", 1)));
}

Treebank cleaned(const Treebank& raw) {
  Treebank bank = raw;
  for (std::size_t i = 0; i < bank.trees.size(); ++i) {
    Tree& tree = bank.trees[i];
    KETTE_CHECK(
        clean(tree, raw.place(i)), raw.place(i),
        ": expected a tree with words, given one without: ", shortened(to_text(raw.trees[i])));
    while (is_root_label(tree.label) && tree.children.size() == 1) {
      Tree inner = std::move(tree.children.front());
      tree = std::move(inner);
    }
    if (is_root_label(tree.label)) tree.label = kRoot;
  }
  return bank;
}

}  // namespace kette
