#include "data/metrics/ngrams.h"

#include <algorithm>
#include <cstddef>

namespace kette {
namespace {

/// The symbols from one place of a sequence on, at most max_order of them.
struct Suffix {
  std::u32string_view symbols;
  std::size_t sequence;  // 0 is the hypothesis, r + 1 is reference r
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

}  // namespace

std::vector<NgramCount> count_ngrams(std::u32string_view hypothesis,
                                     const std::vector<std::u32string>& references, int max_order) {
  const auto orders = static_cast<std::size_t>(max_order);
  std::vector<Suffix> suffixes;
  add_suffixes(hypothesis, 0, orders, suffixes);
  for (std::size_t r = 0; r < references.size(); ++r) {
    add_suffixes(references[r], r + 1, orders, suffixes);
  }
  std::sort(suffixes.begin(), suffixes.end(),
            [](const Suffix& a, const Suffix& b) { return a.symbols < b.symbols; });

  std::vector<std::size_t> shared(suffixes.size(), 0);  // with the suffix before
  for (std::size_t i = 1; i < suffixes.size(); ++i) {
    shared[i] = common_prefix(suffixes[i - 1].symbols, suffixes[i].symbols);
  }

  std::vector<NgramCount> counts(orders);
  std::vector<std::int64_t> occurrences(references.size() + 1);
  for (std::size_t n = 1; n <= orders; ++n) {
    NgramCount& count = counts[n - 1];
    for (std::size_t i = 0; i < suffixes.size();) {
      if (suffixes[i].symbols.size() < n) {
        ++i;
        continue;
      }
      std::fill(occurrences.begin(), occurrences.end(), 0);
      do {
        ++occurrences[suffixes[i].sequence];
        ++i;
      } while (i < suffixes.size() && shared[i] >= n);
      const std::int64_t in_references =
          references.empty() ? 0 : *std::max_element(occurrences.begin() + 1, occurrences.end());
      count.hypothesis += occurrences[0];
      count.reference += in_references;
      count.matched += std::min(occurrences[0], in_references);
    }
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
