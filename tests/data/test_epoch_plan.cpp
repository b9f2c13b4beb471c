// The plan of an epoch: the order that sorting all pairs by length and hash gives, in four bytes a pair.
#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "data/corpora/epoch_plan.h"
#include "data/corpora/purpose.h"
#include "tensor/error.h"
#include "tensor/splitmix.h"

namespace kette {
namespace {

/// Pairs of which nothing is there but their lengths.
class Lengths final : public PairStore {
 public:
  Lengths(std::int64_t size, std::int64_t longest) : size_(size), longest_(longest) {}
  std::int64_t size() const override { return size_; }
  PairLengths lengths(std::int64_t pair) const override {
    const std::uint64_t hash = splitmix64(static_cast<std::uint64_t>(pair));
    const auto source = static_cast<std::int64_t>(hash % static_cast<std::uint64_t>(longest_));
    return {source, source + static_cast<std::int64_t>(hash >> 62)};
  }
  PairIds read(std::int64_t) const override { fail("lengths: expected no look at ids"); }

 private:
  std::int64_t size_, longest_;
};

constexpr std::uint64_t kSeed = 5;

/// As it was planned while all keys were in memory.
std::vector<std::vector<std::int64_t>> planned(const PairStore& pairs, const Draws& draws,
                                               std::int64_t tokens, std::int64_t epoch) {
  std::vector<std::tuple<std::int64_t, std::uint64_t, std::int64_t>> keys;
  for (std::int64_t i = 0; i < draws.size(); ++i) {
    const std::int64_t pair = draws[i].pair;
    const auto [source, target] = pairs.lengths(pair);
    keys.emplace_back(std::max(source, target) / 4,
                      hash_of(Purpose::sentences, kSeed, epoch, draws.place(i)), pair);
  }
  std::sort(keys.begin(), keys.end());
  std::vector<std::vector<std::int64_t>> batches;
  std::int64_t source = 0, target = 0;
  for (const auto& [bucket, hash, pair] : keys) {
    const PairLengths lengths = pairs.lengths(pair);
    source += lengths.source + 1;
    target += lengths.target + 1;
    if (batches.empty() || std::max(source, target) > tokens) {
      batches.emplace_back();
      source = lengths.source + 1;
      target = lengths.target + 1;
    }
    batches.back().push_back(pair);
  }
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    order.emplace_back(hash_of(Purpose::batches, kSeed, epoch, i), i);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::vector<std::int64_t>> shuffled;
  for (const auto& [hash, i] : order) shuffled.push_back(batches[i]);
  return shuffled;
}

std::vector<std::vector<std::int64_t>> all_of(const EpochPlan& plan) {
  std::vector<std::vector<std::int64_t>> batches;
  for (std::int64_t i = 0; i < plan.batches(); ++i) {
    batches.emplace_back();
    for (const Draws::Draw& draw : plan.batch(i)) batches.back().push_back(draw.pair);
  }
  return batches;
}

TEST_CASE("epoch plan: the order of a sort of all pairs, of whatever lengths") {
  const std::vector<std::pair<std::int64_t, std::int64_t>> sizes = {
      {1, 1}, {2'000, 90}, {200'000, 4}, {100'000, 900}};
  for (const auto& size : sizes) {
    CAPTURE(size.first);
    const Lengths pairs(size.first, size.second);
    const Draws draws({size.first}, {}, kSeed, 3);
    CHECK(all_of(EpochPlan(pairs, draws, 500, kSeed, 3)) == planned(pairs, draws, 500, 3));
    CHECK(draws[size.first - 1].pair == size.first - 1);
    CHECK(draws.place(size.first - 1) == size.first - 1);
  }
  // Of parts that come more than once and of which some pairs come less often.
  const Lengths pairs(150'000, 5);
  const Draws draws({100'000, 150'000}, {1, 4}, kSeed, 1);
  CHECK(all_of(EpochPlan(pairs, draws, 300, kSeed, 1)) == planned(pairs, draws, 300, 1));
}

TEST_CASE("draws: of each part as many as its share, every pair as often but for one") {
  const Draws draws({1000, 1010, 5000}, {1, 2, 1}, kSeed, 0);
  CHECK(draws.size() == 5000);
  std::vector<std::int64_t> times(5000);
  std::set<std::int64_t> places;
  for (std::int64_t i = 0; i < draws.size(); ++i) {
    ++times[draws[i].pair];
    places.insert(draws.place(i));
  }
  CHECK(std::ssize(places) == draws.size());  // so no two have one hash
  const auto some = [&](std::int64_t begin, std::int64_t end) {
    std::int64_t sum = 0;
    for (std::int64_t i = begin; i < end; ++i) sum += times[i];
    const auto [least, most] = std::minmax_element(times.begin() + begin, times.begin() + end);
    CHECK(*most - *least <= 1);
    return sum;
  };
  CHECK(some(0, 1000) == 1250);
  CHECK(some(1000, 1010) == 2500);
  CHECK(some(1010, 5000) == 1250);
}

}  // namespace
}  // namespace kette
