// Alignment error rate (Och and Ney 2003, "A Systematic Comparison of Various Statistical Alignment Models",
// section 5):
//   AER = 1 - (|A and S| + |A and P|) / (|A| + |S|)
// A are the links found, S the sure links, P the sure and the possible links.
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

/// The number of the word of each piece, by spaces; -1 for a punctuation mark.
std::vector<int> words_of_pieces(const Tokenizer& tokenizer, std::span<const std::int32_t> ids);

/// Two words are linked if any of their pieces are. source: for each target piece its source piece, or -1. A target
/// word aligned with a mark is linked to -1, which counts as an error.
std::set<std::pair<int, int>> linked_words(std::span<const std::int64_t> source,
                                           std::span<const int> source_words,
                                           std::span<const int> target_words);

}  // namespace kette
