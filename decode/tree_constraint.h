// What keeps a parser's output a tree, and one with a leaf for each word: of the open constituents only the
// innermost can be closed, by its own label, once something is in it; there are as many tags as words; the
// outermost is closed when there are no words left, and then nothing follows. Whatever has begun can be
// finished within the longest output: a constituent is opened only where there is room to close it, too.
#pragma once

#include "data/tokenizers/tree_tokenizer.h"
#include "decode/constraint.h"

namespace kette {

class TreeConstraint final : public Constraint {
 public:
  /// More open constituents than any tree of language has.
  static constexpr std::int64_t kMostOpen = 100;

  /// The shortest tree: one constituent around all words.
  static std::int64_t shortest(std::int64_t words) { return words + 2; }

  /// Of a sentence of so many words, at least one. longest: output in symbols, end mark not counted, with room for the
  /// shortest tree.
  TreeConstraint(TreeTokenizer::Shared tokenizer, std::int64_t words, std::int64_t longest);

  std::vector<std::vector<bool>> masks() const override;
  Choice after(std::span<const std::int32_t> tokens) const override;

 private:
  TreeTokenizer::Shared tokenizer_;
  std::int64_t words_, longest_;
};

}  // namespace kette
