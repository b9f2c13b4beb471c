#include "data/corpora/pair_store.h"

#include <utility>

#include "tensor/error.h"

namespace kette {

PairLists::PairLists(TokenLists sources, TokenLists targets)
    : sources_(std::move(sources)), targets_(std::move(targets)) {
  KETTE_CHECK(sources_.size() == targets_.size() && sources_.size() > 0,
              "pairs: expected equally many sentences on both sides, given ", sources_.size(),
              " and ", targets_.size());
}

PairLists::PairLists(const PairStore& pairs) {
  for (std::int64_t i = 0; i < pairs.size(); ++i) {
    const PairIds pair = pairs.read(i);
    add(pair.source, pair.target);
  }
}

PairIds PairLists::read(std::int64_t pair) const {
  const auto of = [pair](const TokenLists& lists) {
    const std::span<const std::int32_t> ids = lists[pair];
    return std::vector<std::int32_t>(ids.begin(), ids.end());
  };
  return {of(sources_), of(targets_)};
}

}  // namespace kette
