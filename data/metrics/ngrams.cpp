#include "data/metrics/ngrams.h"

#include <algorithm>
#include <cstddef>
#include <span>

namespace kette {
namespace {

/// The symbols from one place of a sequence on, at most max_order of them.
struct Suffix {
  std::u32string_view symbols;
  std::size_t sequence;
};

void add_suffixes(std::u32string_view symbols, std::size_t sequence, std::size_t max_order,
                  std::vector<Suffix>& suffixes) {
  for (std::size_t at = 0; at < symbols.size(); ++at) {
    suffixes.push_back({symbols.substr(at, max_order), sequence});
  }
}

std::size_t common_prefix(std::u32string_view a, std::u32string_view b) {
  const auto differ = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<std::size_t>(differ.first - a.begin());
}

/// Every n-gram of every order: calls found(n - 1, the suffixes that begin with it).
template <class Found>
void for_each_ngram(std::vector<Suffix>& suffixes, std::size_t orders, const Found& found) {
  std::sort(suffixes.begin(), suffixes.end(),
            [](const Suffix& a, const Suffix& b) { return a.symbols < b.symbols; });
  std::vector<std::size_t> shared(suffixes.size(), 0);  // with the suffix before
  for (std::size_t i = 1; i < suffixes.size(); ++i) {
    shared[i] = common_prefix(suffixes[i - 1].symbols, suffixes[i].symbols);
  }
  for (std::size_t n = 1; n <= orders; ++n) {
    for (std::size_t i = 0; i < suffixes.size();) {
      const std::size_t begin = i++;
      if (suffixes[begin].symbols.size() < n) continue;
      while (i < suffixes.size() && shared[i] >= n) ++i;
      found(n - 1, std::span(suffixes).subspan(begin, i - begin));
    }
  }
}

}  // namespace

std::vector<NgramCount> count_ngrams(std::u32string_view hypothesis,
                                     const std::vector<std::u32string>& references, int max_order) {
  const auto orders = static_cast<std::size_t>(max_order);
  std::vector<Suffix> suffixes;
  add_suffixes(hypothesis, 0, orders, suffixes);
  for (std::size_t r = 0; r < references.size(); ++r) {
    add_suffixes(references[r], r + 1, orders, suffixes);
  }
  std::vector<NgramCount> counts(orders);
  std::vector<std::int64_t> occurrences(references.size() + 1);
  for_each_ngram(suffixes, orders, [&](std::size_t order, std::span<const Suffix> places) {
    std::fill(occurrences.begin(), occurrences.end(), 0);
    for (const Suffix& place : places) ++occurrences[place.sequence];
    const std::int64_t in_references =
        references.empty() ? 0 : *std::max_element(occurrences.begin() + 1, occurrences.end());
    counts[order].hypothesis += occurrences[0];
    counts[order].reference += in_references;
    counts[order].matched += std::min(occurrences[0], in_references);
  });
  return counts;
}

PairwiseNgrams::PairwiseNgrams(const std::vector<std::u32string>& sequences, int max_order)
    : matched_(static_cast<std::size_t>(max_order),
               std::vector<std::int32_t>(sequences.size() * sequences.size())) {
  std::vector<Suffix> suffixes;
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    lengths_.push_back(std::ssize(sequences[i]));
    add_suffixes(sequences[i], i, matched_.size(), suffixes);
  }
  std::vector<std::int32_t> occurrences(sequences.size());
  std::vector<std::size_t> having;  // the sequences that have the n-gram
  for_each_ngram(suffixes, matched_.size(), [&](std::size_t order, std::span<const Suffix> places) {
    having.clear();
    for (const Suffix& place : places) {
      if (occurrences[place.sequence]++ == 0) having.push_back(place.sequence);
    }
    for (const std::size_t a : having) {
      std::int32_t* row = matched_[order].data() + a * sequences.size();
      for (const std::size_t b : having) row[b] += std::min(occurrences[a], occurrences[b]);
    }
    for (const std::size_t sequence : having) occurrences[sequence] = 0;
  });
}

std::vector<NgramCount> PairwiseNgrams::counts(std::size_t hypothesis,
                                               std::size_t reference) const {
  std::vector<NgramCount> counts(matched_.size());
  for (std::size_t order = 0; order < counts.size(); ++order) {
    const auto of = [&](std::size_t sequence) {
      return std::max<std::int64_t>(0, lengths_[sequence] - static_cast<std::int64_t>(order));
    };
    counts[order] = {of(hypothesis), of(reference),
                     matched_[order][hypothesis * lengths_.size() + reference]};
  }
  return counts;
}

std::u32string WordNumbers::operator()(const std::vector<std::u32string_view>& words) {
  std::u32string numbered;
  numbered.reserve(words.size());
  for (const std::u32string_view word : words) {
    const auto next = static_cast<char32_t>(numbers_.size());
    numbered.push_back(numbers_.try_emplace(std::u32string(word), next).first->second);
  }
  return numbered;
}

}  // namespace kette
