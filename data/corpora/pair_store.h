// Sentence pairs as token ids, by number: in memory, or in a file of any size of which only the lengths are in memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "data/corpora/token_lists.h"

namespace kette {

/// Tokens of both sides, end marks not counted.
struct PairLengths {
  std::int64_t source = 0, target = 0;
};

/// Ids without begin and end.
struct PairIds {
  std::vector<std::int32_t> source, target;
};

/// Safe to read from several threads.
class PairStore {
 public:
  virtual ~PairStore() = default;
  virtual std::int64_t size() const = 0;
  virtual PairLengths lengths(std::int64_t pair) const = 0;
  virtual PairIds read(std::int64_t pair) const = 0;
};

class PairLists final : public PairStore {
 public:
  PairLists() = default;
  PairLists(TokenLists sources, TokenLists targets);
  /// All of another's.
  explicit PairLists(const PairStore& pairs);

  void add(std::span<const std::int32_t> source, std::span<const std::int32_t> target) {
    sources_.add(source);
    targets_.add(target);
  }
  const TokenLists& sources() const { return sources_; }
  const TokenLists& targets() const { return targets_; }

  std::int64_t size() const override { return sources_.size(); }
  PairLengths lengths(std::int64_t pair) const override {
    return {sources_.length(pair), targets_.length(pair)};
  }
  PairIds read(std::int64_t pair) const override;

 private:
  TokenLists sources_, targets_;
};

}  // namespace kette
