// N-grams of every order at once, for BLEU and chrF: how many there are, and how many of the
// hypothesis' are also in a reference, each counted at most as often as it is there:
//   matched_n = sum over n-grams g of order n of min(count in hypothesis, max over references)
// The sequences are characters or numbered words. Sorting all suffixes brings equal n-grams of all
// orders together: O(m log m) comparisons for m symbols, and no n-gram is ever copied.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kette {

struct NgramCount {
  std::int64_t hypothesis = 0;
  std::int64_t reference = 0;  ///< of several references: every n-gram's largest count
  std::int64_t matched = 0;
};

/// Element n - 1 counts the n-grams of order n.
std::vector<NgramCount> count_ngrams(std::u32string_view hypothesis,
                                     const std::vector<std::u32string>& references, int max_order);

/// The same of every two of many sequences: each is sorted into one list once, and an n-gram costs as many
/// additions as there are pairs that have it.
class PairwiseNgrams {
 public:
  PairwiseNgrams(const std::vector<std::u32string>& sequences, int max_order);
  /// What count_ngrams() says of a hypothesis beside one reference.
  std::vector<NgramCount> counts(std::size_t hypothesis, std::size_t reference) const;

 private:
  std::vector<std::int64_t> lengths_;
  std::vector<std::vector<std::int32_t>> matched_;  // of each order, [sequences, sequences]
};

/// Gives each different word a number, so that a sentence is a sequence of symbols like a word is.
class WordNumbers {
 public:
  std::u32string operator()(const std::vector<std::u32string_view>& words);

 private:
  std::unordered_map<std::u32string, char32_t> numbers_;
};

}  // namespace kette
