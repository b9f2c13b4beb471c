#include "data/tokenizers/byte_pair_merges.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <queue>
#include <utility>

namespace kette {
namespace {

std::uint64_t pair_of(std::int32_t left, std::int32_t right) {
  return static_cast<std::uint64_t>(left) << 32 | static_cast<std::uint32_t>(right);
}

}  // namespace

BytePairMerges::BytePairMerges(const std::array<std::int32_t, 256>& byte_ids,
                               const std::vector<Merge>& merges)
    : byte_ids_(byte_ids), slots_(std::bit_ceil(2 * merges.size() + 2)) {
  shift_ = 64 - std::countr_zero(slots_.size());
  for (const Merge& merge : merges) {
    const std::uint64_t pair = pair_of(merge.left, merge.right);
    std::size_t at = home(pair);
    while (slots_[at].pair != kNoPair) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = {pair, static_cast<Rank>(results_.size())};
    results_.push_back(merge.result);
  }
}

BytePairMerges::Rank BytePairMerges::rank(std::int32_t left, std::int32_t right) const {
  const std::uint64_t pair = pair_of(left, right);
  std::size_t at = home(pair);
  while (slots_[at].pair != pair && slots_[at].pair != kNoPair) at = (at + 1) & (slots_.size() - 1);
  return slots_[at].rank;
}

void BytePairMerges::encode(std::string_view piece, std::vector<std::int32_t>& ids) const {
  if (piece.size() <= kShort) {
    encode_short(piece, ids);
  } else {
    encode_long(piece, ids);
  }
}

void BytePairMerges::encode_short(std::string_view piece, std::vector<std::int32_t>& ids) const {
  struct {
    std::int32_t id;
    Rank rank;  // of the merge with the next one
  } parts[kShort];
  std::size_t count = 0;
  for (const char byte : piece) {
    parts[count++] = {byte_ids_[static_cast<unsigned char>(byte)], kNoMerge};
  }
  for (std::size_t i = 0; i + 1 < count; ++i) parts[i].rank = rank(parts[i].id, parts[i + 1].id);

  while (true) {
    Rank best = kNoMerge;
    for (std::size_t i = 0; i < count; ++i) best = std::min(best, parts[i].rank);
    if (best == kNoMerge) break;
    // New pairs are longer than the merged one, so the scan never matches it in them.
    for (std::size_t i = 0; i + 1 < count; ++i) {
      if (parts[i].rank != best) continue;
      std::copy(parts + i + 2, parts + count, parts + i + 1);
      --count;
      parts[i].id = results_[best];
      parts[i].rank = i + 1 < count ? rank(parts[i].id, parts[i + 1].id) : kNoMerge;
      if (i > 0) parts[i - 1].rank = rank(parts[i - 1].id, parts[i].id);
    }
  }
  for (std::size_t i = 0; i < count; ++i) ids.push_back(parts[i].id);
}

void BytePairMerges::encode_long(std::string_view piece, std::vector<std::int32_t>& ids) const {
  struct Part {
    std::int32_t id;
    Rank rank;  // of the merge with the next one
    std::size_t before, next;
  };
  using Candidate = std::pair<Rank, std::size_t>;  // and where its left part is
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates;
  std::vector<Part> parts(piece.size());
  const std::size_t end = piece.size();

  const auto find_merge = [&](std::size_t at) {
    Part& part = parts[at];
    part.rank = part.next < end ? rank(part.id, parts[part.next].id) : kNoMerge;
    if (part.rank != kNoMerge) candidates.emplace(part.rank, at);
  };
  const auto merge = [&](std::size_t at) {
    Part& part = parts[at];
    Part& gone = parts[part.next];
    part.id = results_[part.rank];
    part.next = gone.next;
    gone.rank = kNoMerge;
    if (part.next < end) parts[part.next].before = at;
    find_merge(at);
    if (at > 0) find_merge(part.before);
  };

  for (std::size_t i = 0; i < end; ++i) {
    parts[i] = {byte_ids_[static_cast<unsigned char>(piece[i])], kNoMerge, i - 1, i + 1};
  }
  for (std::size_t i = 0; i < end; ++i) find_merge(i);
  // All places of a merge first, since a new pair may have been learnt earlier.
  std::vector<std::size_t> places;
  while (!candidates.empty()) {
    const Rank best = candidates.top().first;
    for (places.clear(); !candidates.empty() && candidates.top().first == best; candidates.pop()) {
      places.push_back(candidates.top().second);
    }
    for (const std::size_t at : places) {
      if (parts[at].rank == best) merge(at);  // else it has changed
    }
  }
  for (std::size_t i = 0; i < end; i = parts[i].next) ids.push_back(parts[i].id);
}

}  // namespace kette
