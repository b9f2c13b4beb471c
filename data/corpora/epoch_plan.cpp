#include "data/corpora/epoch_plan.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "data/corpora/batches.h"
#include "data/corpora/purpose.h"
#include "tensor/error.h"
#include "tensor/splitmix.h"

namespace kette {
namespace {

/// Lengths that count as similar: those with the same quotient by this number of tokens.
constexpr std::int64_t kLengthBucket = 4;
/// So many are sorted with their hashes beside them; of more the order is found in place.
constexpr std::size_t kSortedAtOnce = std::size_t{1} << 16;

std::int64_t bucket_of(const PairLengths& lengths) {
  return std::max(lengths.source, lengths.target) / kLengthBucket;
}

}  // namespace

EpochPlan::EpochPlan(const PairStore& pairs, Draws draws, std::int64_t tokens_per_batch,
                     std::uint64_t seed, std::int64_t epoch)
    : draws_(std::move(draws)), epoch_(epoch), key_(hash_of(Purpose::sentences, seed, epoch)) {
  constexpr auto kMost = std::int64_t{std::numeric_limits<std::uint32_t>::max()};
  KETTE_CHECK(draws_.size() <= kMost, "batches: expected at most ", kMost,
              " pairs in an epoch, given ", draws_.size());
  sort_by_length(pairs);
  cut(pairs, tokens_per_batch);
  std::vector<std::pair<std::uint64_t, std::uint32_t>> order;
  for (std::uint32_t i = 0; i + 1 < begins_.size(); ++i) {
    order.emplace_back(hash_of(Purpose::batches, seed, epoch, i), i);
  }
  std::sort(order.begin(), order.end());
  shuffled_.reserve(order.size());
  for (const auto& [hash, batch] : order) shuffled_.push_back(batch);
}

std::vector<Draws::Draw> EpochPlan::batch(std::int64_t number) const {
  std::vector<Draws::Draw> draws;
  const std::uint32_t place = shuffled_[number];
  for (std::uint32_t i = begins_[place]; i < begins_[place + 1]; ++i) {
    draws.push_back(draws_[order_[i]]);
  }
  return draws;
}

std::uint64_t EpochPlan::hash_of_draw(std::uint32_t draw) const {
  return splitmix64(key_ ^ static_cast<std::uint64_t>(draws_.place(draw)));
}

/// The bucket of the length first, then the hash.
void EpochPlan::sort_by_length(const PairStore& pairs) {
  std::vector<std::uint32_t> ends;  // of buckets
  const auto bucket = [&](std::int64_t draw) {
    return static_cast<std::size_t>(bucket_of(pairs.lengths(draws_[draw].pair)));
  };
  for (std::int64_t draw = 0; draw < draws_.size(); ++draw) {
    const std::size_t of = bucket(draw);
    if (of >= ends.size()) ends.resize(of + 1);
    ++ends[of];
  }
  std::uint32_t begin = 0;
  for (std::uint32_t& end : ends) begin += std::exchange(end, begin);
  order_.resize(static_cast<std::size_t>(draws_.size()));
  for (std::int64_t draw = 0; draw < draws_.size(); ++draw) {
    order_[ends[bucket(draw)]++] = static_cast<std::uint32_t>(draw);
  }
  begin = 0;
  for (const std::uint32_t end : ends) {
    shuffle(std::span(order_).subspan(begin, end - begin), 64);
    begin = end;
  }
}

/// Sorts by hashes that agree in all but their last bits: by the next eight of them in place (an American flag sort), and
/// each of the 256 parts likewise.
void EpochPlan::shuffle(std::span<std::uint32_t> draws, int bits_left) {
  if (draws.size() <= kSortedAtOnce || bits_left == 0) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> keys;
    keys.reserve(draws.size());
    for (const std::uint32_t draw : draws) keys.emplace_back(hash_of_draw(draw), draw);
    std::sort(keys.begin(), keys.end());
    for (std::size_t i = 0; i < keys.size(); ++i) draws[i] = keys[i].second;
    return;
  }
  const auto part_of = [&](std::uint32_t draw) {
    return static_cast<std::size_t>(hash_of_draw(draw) >> (bits_left - 8) & 255);
  };
  std::vector<std::size_t> next(257), ends(256);
  for (const std::uint32_t draw : draws) ++next[part_of(draw) + 1];
  for (std::size_t part = 0; part < 256; ++part) ends[part] = next[part + 1] += next[part];
  for (std::size_t part = 0; part < 256; ++part) {
    while (next[part] < ends[part]) {
      std::uint32_t draw = draws[next[part]];
      for (std::size_t of = part_of(draw); of != part; of = part_of(draw)) {
        std::swap(draw, draws[next[of]++]);
      }
      draws[next[part]++] = draw;
    }
  }
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    shuffle(draws.subspan(begin, end - begin), bits_left - 8);
    begin = end;
  }
}

void EpochPlan::cut(const PairStore& pairs, std::int64_t tokens_per_batch) {
  BatchLimit limit(tokens_per_batch);
  for (std::size_t i = 0; i < order_.size(); ++i) {
    if (limit.begins_new(pairs.lengths(draws_[order_[i]].pair))) {
      begins_.push_back(static_cast<std::uint32_t>(i));
    }
  }
  begins_.push_back(static_cast<std::uint32_t>(order_.size()));
}

}  // namespace kette
