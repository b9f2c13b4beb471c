// A reproducible sample of pairs: those whose line numbers have the smallest hashes.
#pragma once

#include <map>
#include <vector>

#include "data/checks/odd_pairs.h"
#include "tensor/splitmix.h"

namespace kette {

class PairSamples {
 public:
  explicit PairSamples(std::size_t most) : most_(most) {}

  /// Calls make() for the sample if the pair is taken.
  template <class Make>
  void add(std::int64_t line, const Make& make) {
    ++count_;
    const std::uint64_t rank = hash_of(line);
    if (most_ == 0 || (taken_.size() == most_ && rank > taken_.rbegin()->first)) return;
    taken_.emplace(rank, make());
    if (taken_.size() > most_) taken_.erase(std::prev(taken_.end()));
  }
  /// Merges both samples.
  void join(const PairSamples& other) {
    count_ += other.count_;
    taken_.insert(other.taken_.begin(), other.taken_.end());
    while (taken_.size() > most_) taken_.erase(std::prev(taken_.end()));
  }

  std::int64_t count() const { return count_; }
  /// In the order of their lines.
  std::vector<PairSample> samples() const {
    std::map<std::int64_t, const PairSample*> by_line;
    for (const auto& [rank, sample] : taken_) by_line.emplace(sample.line, &sample);
    std::vector<PairSample> all;
    for (const auto& [line, sample] : by_line) all.push_back(*sample);
    return all;
  }

 private:
  std::size_t most_;
  std::int64_t count_ = 0;
  std::map<std::uint64_t, PairSample> taken_;
};

}  // namespace kette
