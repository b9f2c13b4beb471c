// N-grams of all orders at once, for BLEU and chrF: how many there are, and how many of the
// hypothesis match a reference, clipped to their count there:
//   matched_n = sum over n-grams g of order n of min(count in hypothesis, max over references)
// The sequences are characters or word numbers. Sorting all suffixes groups equal n-grams of all
// orders: O(m log m) comparisons for m symbols, and no n-gram is copied.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kette {

struct NgramCount {
  std::int64_t hypothesis = 0;
  std::int64_t reference = 0;  ///< with several references: each n-gram's largest count
  std::int64_t matched = 0;
};

/// Element n - 1 counts the n-grams of order n.
std::vector<NgramCount> count_ngrams(std::u32string_view hypothesis,
                                     const std::vector<std::u32string>& references, int max_order);

/// The same for all pairs of many sequences. All are sorted once, in one list; an n-gram costs one
/// addition per pair that has it.
class PairwiseNgrams {
 public:
  PairwiseNgrams(const std::vector<std::u32string>& sequences, int max_order);
  /// As count_ngrams() of a hypothesis and one reference.
  std::vector<NgramCount> counts(std::size_t hypothesis, std::size_t reference) const;

 private:
  std::vector<std::int64_t> lengths_;
  std::vector<std::vector<std::int32_t>> matched_;  // per order, [sequences, sequences]
};

/// Numbers the different words, so that a sentence is a sequence of symbols, as a word is.
class WordNumbers {
 public:
  std::u32string operator()(const std::vector<std::u32string_view>& words);

 private:
  std::unordered_map<std::u32string, char32_t> numbers_;
};

}  // namespace kette
