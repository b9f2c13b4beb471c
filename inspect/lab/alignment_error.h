// How far an alignment of words is from the true one: Och and Ney 2003, "A Systematic Comparison of Various
// Statistical Alignment Models", section 5,
//   AER = 1 - (|A and S| + |A and P|) / (|A| + |S|)
// with A what was found, S the sure links and P these and the possible ones.
#pragma once

#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/bundled/corpus.h"
#include "data/tokenizers/tokenizer.h"

namespace kette {

class AlignmentError {
 public:
  /// found: pairs of a source and a target word of one sentence.
  void add(const std::set<std::pair<int, int>>& found, std::span<const bundled::WordLink> truth);
  double value() const;

 private:
  std::int64_t found_ = 0, sure_ = 0, found_sure_ = 0, found_possible_ = 0;
};

/// The place of each piece's word among what stands between spaces; -1 of a mark, which is no word.
std::vector<int> words_of_pieces(const Tokenizer& tokenizer, std::span<const std::int32_t> ids);

/// source: of each target piece the source piece that it comes from, -1 for none. Words are linked where
/// pieces of theirs are. A target word that comes from a mark is linked to -1, and so wrongly.
std::set<std::pair<int, int>> linked_words(std::span<const std::int64_t> source,
                                           std::span<const int> source_words,
                                           std::span<const int> target_words);

}  // namespace kette
