// Keeps the output of a parser a well-formed tree with one leaf for each word. Only the innermost
// open constituent can be closed, by its own label, and only if it is not empty. There are as many
// tags as words. The outermost constituent is closed after the last word, and ends the output.
// Every started tree can be finished within the longest output: a constituent is opened only if
// there is room to close it.
#pragma once

#include "data/tokenizers/tree_tokenizer.h"
#include "decode/constraint.h"

namespace kette {

class TreeConstraint final : public Constraint {
 public:
  /// More open constituents than in any natural tree.
  static constexpr std::int64_t kMaxOpen = 100;

  /// The length of the shortest tree: one constituent around all words.
  static std::int64_t shortest(std::int64_t words) { return words + 2; }

  /// words: number of words of the sentence, at least one. longest: most symbols of the output,
  /// without end mark; at least shortest(words).
  TreeConstraint(TreeTokenizer::Shared tokenizer, std::int64_t words, std::int64_t longest);

  std::vector<std::vector<bool>> masks() const override;
  Choice after(std::span<const std::int32_t> tokens) const override;

 private:
  TreeTokenizer::Shared tokenizer_;
  std::int64_t words_, longest_;
};

}  // namespace kette
