#include "data/corpora/ibm_model1.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>

#include "tensor/error.h"
#include "tensor/parallel_error.h"
#include "tensor/parallel_for.h"

namespace kette {
namespace {

/// Pairs, or pieces of them, that are gone through before the progress is told.
constexpr std::int64_t kWorkAtOnce = std::int64_t{1} << 16;

/// Where each source piece stands: the numbers of its pairs, as often as it comes in them.
class Occurrences {
 public:
  Occurrences(const TokenLists& source, std::int64_t vocabulary)
      : ends_(static_cast<std::size_t>(vocabulary) + 1), pairs_(source.tokens()) {
    for (std::int64_t i = 0; i < source.size(); ++i) {
      for (const std::int32_t id : source[i]) ++ends_[static_cast<std::size_t>(id) + 1];
    }
    std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
    std::vector<std::int64_t> next(ends_.begin(), ends_.end() - 1);
    for (std::int64_t i = 0; i < source.size(); ++i) {
      for (const std::int32_t id : source[i]) pairs_[next[id]++] = static_cast<std::int32_t>(i);
    }
  }
  std::span<const std::int32_t> operator[](std::int64_t piece) const {
    return std::span(pairs_).subspan(static_cast<std::size_t>(ends_[piece]),
                                     static_cast<std::size_t>(ends_[piece + 1] - ends_[piece]));
  }

 private:
  std::vector<std::int64_t> ends_;
  std::vector<std::int32_t> pairs_;
};

float probability_of(const std::vector<LexicalTranslation>& row, std::int32_t target) {
  const auto at =
      std::lower_bound(row.begin(), row.end(), target,
                       [](const LexicalTranslation& a, std::int32_t b) { return a.target < b; });
  return at != row.end() && at->target == target ? at->probability : 0;
}

/// What a thread adds up for one source piece, of all target pieces; empty in between.
class Counts {
 public:
  explicit Counts(std::int64_t vocabulary) : counts_(vocabulary), probabilities_(vocabulary) {}

  /// In: the row so far. Out: what it is after this iteration.
  template <class Add>
  void replace(std::vector<LexicalTranslation>& row, bool is_first, const Add& add_all) {
    std::fill(probabilities_.begin(), probabilities_.end(), is_first ? 1.0f : 0.0f);
    for (const auto& [target, probability] : row) probabilities_[target] = probability;
    add_all(*this);
    const double total =
        std::accumulate(seen_.begin(), seen_.end(), 0.0,
                        [&](double sum, std::int32_t id) { return sum + counts_[id]; });
    row.clear();
    for (const std::int32_t id : seen_) {
      row.push_back({id, static_cast<float>(counts_[id] / total)});
      counts_[id] = 0;
    }
    seen_.clear();
  }
  void add(std::int32_t target, double normaliser) {
    const double count = double(probabilities_[target]) / normaliser;
    if (!(count > 0)) return;
    if (counts_[target] == 0) seen_.push_back(target);
    counts_[target] += count;
  }

 private:
  std::vector<double> counts_;
  std::vector<float> probabilities_;
  std::vector<std::int32_t> seen_;
};

/// Leaves the likeliest of a row, in the order of their ids.
void prune(std::vector<LexicalTranslation>& row, double least, std::size_t most) {
  std::erase_if(row, [&](const LexicalTranslation& one) { return one.probability < least; });
  if (row.size() > most) {
    std::nth_element(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(most), row.end(),
                     [](const LexicalTranslation& a, const LexicalTranslation& b) {
                       return a.probability > b.probability ||
                              (a.probability == b.probability && a.target < b.target);
                     });
    row.resize(most);
  }
  std::sort(row.begin(), row.end(), [](const LexicalTranslation& a, const LexicalTranslation& b) {
    return a.target < b.target;
  });
  row.shrink_to_fit();
}

class Model1 {
 public:
  Model1(const TokenLists& source, const TokenLists& target, std::int64_t vocabulary,
         const Model1Options& options)
      : source_(source),
        target_(target),
        vocabulary_(vocabulary),
        options_(options),
        occurrences_(source, vocabulary),
        table_(static_cast<std::size_t>(vocabulary) + 1),
        normalisers_(target.tokens()) {
    begins_.reserve(static_cast<std::size_t>(target.size()));
    for (std::int64_t i = 0, begin = 0; i < target.size(); begin += target.length(i++)) {
      begins_.push_back(begin);
    }
    // The most frequent first, so that no thread is left with one of them at the end.
    for (std::int64_t id = 0; id <= vocabulary; ++id) {
      if (times(id) > 0) order_.push_back(id);
    }
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::int64_t a, std::int64_t b) { return times(a) > times(b); });
  }

  LexicalTable run(const Model1Progress& progress) {
    const std::int64_t of_sources = source_.tokens() + source_.size();
    const double work =
        static_cast<double>(options_.iterations) * static_cast<double>(source_.size() + of_sources);
    double done = 0;
    const auto tell = [&](std::int64_t more) {
      done += static_cast<double>(more);
      if (progress) progress(done / work);
    };
    for (std::int64_t iteration = 0; iteration < options_.iterations; ++iteration) {
      const bool is_first = iteration == 0;
      for (std::int64_t begin = 0; begin < source_.size(); begin += kWorkAtOnce) {
        const std::int64_t end = std::min(source_.size(), begin + kWorkAtOnce);
        normalise(begin, end, is_first);
        tell(end - begin);
      }
      for (std::size_t begin = 0, end = 0; begin < order_.size(); begin = end) {
        std::int64_t some = 0;
        while (end < order_.size() && some < kWorkAtOnce) some += times(order_[end++]);
        count(begin, end, is_first);
        tell(some);
      }
    }
    return std::move(table_);
  }

 private:
  std::int64_t times(std::int64_t id) const {
    return id == vocabulary_ ? source_.size() : std::ssize(occurrences_[id]);
  }

  void normalise(std::int64_t first, std::int64_t last, bool is_first) {
    const std::vector<LexicalTranslation>& null = table_.back();
    parallel_for(last - first, 256, [&](std::int64_t place) {
      const std::int64_t pair = first + place;
      const std::span<const std::int32_t> sources = source_[pair], targets = target_[pair];
      for (std::size_t j = 0; j < targets.size(); ++j) {
        double sum =
            is_first ? 1 + static_cast<double>(sources.size()) : probability_of(null, targets[j]);
        if (!is_first) {
          for (const std::int32_t id : sources) sum += probability_of(table_[id], targets[j]);
        }
        normalisers_[begins_[pair] + static_cast<std::int64_t>(j)] = static_cast<float>(sum);
      }
    });
  }

  /// Of the source pieces at these places of the order.
  void count(std::size_t first, std::size_t last, bool is_first) {
    const auto begin = static_cast<std::int64_t>(first), end = static_cast<std::int64_t>(last);
    ParallelError error;
#pragma omp parallel
    {
      std::optional<Counts> counts;
      error.guard([&] { counts.emplace(vocabulary_); });
#pragma omp for schedule(dynamic)
      for (std::int64_t place = begin; place < end; ++place) {
        error.guard([&] { count_of(order_[place], is_first, *counts); });
      }
    }
    error.rethrow();
  }

  /// Of one of them; counts: the thread's own.
  void count_of(std::int64_t id, bool is_first, Counts& counts) {
    counts.replace(table_[id], is_first, [&](Counts& sums) {
      if (id < vocabulary_) {
        for (const std::int32_t pair : occurrences_[id]) add_pair(sums, pair);
      } else {
        for (std::int64_t pair = 0; pair < source_.size(); ++pair) add_pair(sums, pair);
      }
    });
    prune(table_[id], options_.least,
          static_cast<std::size_t>(id < vocabulary_ ? options_.most : vocabulary_));
  }

  void add_pair(Counts& counts, std::int64_t pair) const {
    const float* normaliser = normalisers_.data() + begins_[pair];
    for (const std::int32_t target : target_[pair]) {
      counts.add(target, double(*normaliser++));
    }
  }

  const TokenLists &source_, &target_;
  std::int64_t vocabulary_;
  Model1Options options_;
  Occurrences occurrences_;
  LexicalTable table_;
  std::vector<float> normalisers_;    // z of each target token
  std::vector<std::int64_t> begins_;  // of each pair among them
  std::vector<std::int64_t> order_;   // of the source pieces that there are
};

}  // namespace

void Model1Options::check() const {
  KETTE_CHECK(iterations >= 1, "iterations: expected at least 1, given ", iterations);
  KETTE_CHECK(least >= 0 && least < 1, "least probability: expected from 0 to below 1, given ",
              least);
  KETTE_CHECK(most >= 1, "most: expected at least 1 target piece, given ", most);
}

LexicalTable ibm_model1(const TokenLists& source, const TokenLists& target, std::int64_t vocabulary,
                        const Model1Options& options, const Model1Progress& progress) {
  options.check();
  KETTE_CHECK(source.size() == target.size() && source.size() > 0,
              "IBM Model 1: expected equally many sentences on both sides, given ", source.size(),
              " and ", target.size());
  KETTE_CHECK(source.size() <= std::numeric_limits<std::int32_t>::max(),
              "IBM Model 1: expected at most 2^31 - 1 pairs, given ", source.size());
  return Model1(source, target, vocabulary, options).run(progress);
}

}  // namespace kette
