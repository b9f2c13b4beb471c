#include <doctest/doctest.h>

#include <set>

#include "nn/kv_cache.h"
#include "tensor/random.h"

using namespace kette;

namespace {

constexpr std::int64_t kLayers = 2, kWidth = 3;
constexpr std::int64_t kUnsmeared = 1;  // of the parts

/// Keys, values, and keys as they were before they were smeared.
KvCache smeared_cache(std::int64_t window = 0) {
  const SlotLayout layout{{{2 * kWidth, DType::f32}, {kWidth, DType::f32}}, window, false, 4};
  return KvCache(std::vector<SlotLayout>(kLayers, layout), Device{});
}

std::int32_t slot_of(const KvCache& cache, std::int64_t line, std::int64_t position) {
  return cache.table()[line * cache.table_width() + position];
}

/// What the tests put in a slot and find there again.
void put(const KvCache& cache, std::int32_t slot, float value) {
  for (std::int64_t layer = 0; layer < kLayers; ++layer) {
    cache.layer(layer)
        .slice(slot, slot + 1)
        .copy_from(Tensor::full({1, 2 * kWidth}, double(value) + static_cast<double>(layer)));
    cache.layer(layer, kUnsmeared)
        .slice(slot, slot + 1)
        .copy_from(Tensor::full({1, kWidth}, double(value) - static_cast<double>(layer)));
  }
}

void check_holds(const KvCache& cache, std::int32_t slot, float value) {
  for (std::int64_t layer = 0; layer < kLayers; ++layer) {
    const auto kept = cache.layer(layer).slice(slot, slot + 1).values<float>();
    REQUIRE(kept == std::vector<float>(2 * kWidth, value + static_cast<float>(layer)));
    const auto unsmeared = cache.layer(layer, kUnsmeared).slice(slot, slot + 1).values<float>();
    REQUIRE(unsmeared == std::vector<float>(kWidth, value - static_cast<float>(layer)));
  }
}

}  // namespace

TEST_CASE("KV cache: lines keep what they saw, through sharing, ending and growing") {
  KvCache cache = smeared_cache();
  std::vector<std::vector<float>> seen;  // of each line, what its positions hold
  Random random(3, 4);
  float next = 0;
  for (int round = 0; round < 300; ++round) {
    if (seen.size() < 6 && random.below(3) == 0) {
      const std::int64_t positions = random.below(4);
      cache.add_line(positions);
      seen.emplace_back();
      for (std::int64_t t = 0; t < positions; ++t) {
        seen.back().push_back(next += 10);
        put(cache, slot_of(cache, cache.lines() - 1, t), next);
      }
    }
    for (std::size_t line = 0; line < seen.size(); ++line) {
      const auto at = static_cast<std::int64_t>(line);
      cache.extend(at);
      seen[line].push_back(next += 10);
      put(cache, slot_of(cache, at, cache.length(at) - 1), next);
    }
    std::vector<std::int64_t> parents;
    std::vector<std::vector<float>> chosen;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (random.below(4) == 0) continue;
      parents.push_back(random.below(static_cast<std::int64_t>(seen.size())));
      chosen.push_back(seen[parents.back()]);
    }
    cache.select(parents);
    seen = chosen;
    REQUIRE(cache.lines() == static_cast<std::int64_t>(seen.size()));
    for (std::size_t line = 0; line < seen.size(); ++line) {
      const auto at = static_cast<std::int64_t>(line);
      REQUIRE(cache.length(at) == static_cast<std::int64_t>(seen[line].size()));
      for (std::size_t t = 0; t < seen[line].size(); ++t) {
        check_holds(cache, slot_of(cache, at, static_cast<std::int64_t>(t)), seen[line][t]);
      }
    }
  }
}

TEST_CASE(
    "KV cache: of states a line holds one, however many positions, and shares it until it grows") {
  KvCache cache(std::vector<SlotLayout>(kLayers, SlotLayout::state(kWidth)), Device{});
  CHECK(cache.keeps_states());
  cache.add_line(100);
  CHECK(cache.layer(0).width() == kWidth);
  CHECK(slot_of(cache, 0, 0) == slot_of(cache, 0, 99));
  const std::int32_t first = slot_of(cache, 0, 99);
  cache.select({0, 0});
  CHECK(slot_of(cache, 1, 99) == first);
  cache.extend(0);
  CHECK(slot_of(cache, 0, 100) != first);
  CHECK(slot_of(cache, 1, 99) == first);
  cache.extend_in_passes(1, 50);
  CHECK(slot_of(cache, 1, 100) == slot_of(cache, 1, 149));
  CHECK(slot_of(cache, 1, 100) != slot_of(cache, 0, 100));
  for (int i = 0; i < 1000; ++i) {
    const std::int32_t before = slot_of(cache, 0, cache.length(0) - 1),
                       other = slot_of(cache, 1, cache.length(1) - 1);
    cache.extend(0, 1 + i % 3);
    const std::int32_t now = slot_of(cache, 0, cache.length(0) - 1);
    CHECK((now != before && now != other));
  }
  CHECK(cache.slots() < 8);
}

TEST_CASE("KV cache: room is for what lines still name, not for all that there ever was") {
  SlotLayout layout = SlotLayout::keys_and_values(1, DType::f32);
  layout.first_slots = 8;
  KvCache cache({layout}, Device{});
  cache.add_line(5);
  CHECK(cache.slots() == 8);
  for (int step = 0; step < 1000; ++step) {
    // Two hypotheses that share all but the last position; the past of the loser is given up.
    cache.select({0, 0});
    cache.extend(0);
    cache.extend(1);
    CHECK(slot_of(cache, 0, cache.length(0) - 1) != slot_of(cache, 1, cache.length(1) - 1));
    cache.select({1});
    if (cache.length(0) > 20) {
      cache.select({});
      cache.add_line(5);
    }
  }
  CHECK(cache.slots() <= 40);
  cache.reserve(1000);
  CHECK(cache.slots() <= 1040);
  const std::int64_t slots = cache.slots();
  cache.extend(0, 1000);
  CHECK(cache.slots() == slots);
  CHECK_THROWS_WITH(cache.select({1}), "KV cache: expected lines below 1 to go on, given 1");
}

TEST_CASE("KV cache: memory that few lines need goes back, and they keep what they hold") {
  KvCache cache = smeared_cache();
  constexpr std::int64_t kLines = 40, kLength = 50;
  std::vector<std::vector<float>> seen(kLines);
  float next = 0;
  for (std::int64_t line = 0; line < kLines; ++line) cache.add_line();
  for (std::int64_t t = 0; t < kLength; ++t) {
    for (std::int64_t line = 0; line < kLines; ++line) {
      cache.extend(line);
      seen[line].push_back(next += 10);
      put(cache, slot_of(cache, line, t), next);
    }
  }
  CHECK(cache.slots() >= kLines * kLength);
  cache.select({31, 7, 7});
  CHECK(cache.slots() <= 6 * kLength);
  cache.shorten(2, 20);
  CHECK_THROWS_WITH(cache.shorten(2, 21),
                    "KV cache: expected a length of at most 20 to go back to, given 21");
  std::vector<std::vector<float>> left = {seen[31], seen[7], seen[7]};
  left[2].resize(20);
  for (std::int64_t more = 0; more < 200; ++more) {
    for (std::int64_t line = 0; line < 3; ++line) {
      cache.extend(line);
      left[line].push_back(next += 10);
      put(cache, slot_of(cache, line, cache.length(line) - 1), next);
    }
  }
  for (std::int64_t line = 0; line < 3; ++line) {
    for (std::int64_t t = 0; t < cache.length(line); ++t) {
      check_holds(cache, slot_of(cache, line, t), left[line][static_cast<std::size_t>(t)]);
    }
  }
  cache.select({});
  CHECK(cache.slots() == 0);
  CHECK(cache.table_width() == 0);
  cache.add_line(3);
  put(cache, slot_of(cache, 0, 2), 5);
  check_holds(cache, slot_of(cache, 0, 2), 5);
}

TEST_CASE("KV cache: lines that let go of old positions need no more room however long they are") {
  constexpr std::int64_t kKept = 6, kLines = 3;
  KvCache cache = smeared_cache(kKept);
  std::vector<std::vector<float>> seen(kLines);
  float next = 0;
  for (std::int64_t line = 0; line < kLines; ++line) cache.add_line();
  for (int step = 0; step < 400; ++step) {
    for (std::int64_t line = 0; line < kLines; ++line) {
      cache.extend(line);
      seen[line].push_back(next += 10);
      put(cache, slot_of(cache, line, cache.length(line) - 1), next);
    }
    if (step % 7 == 3) {  // two of them go on from the same past
      cache.select({0, 0, 2});
      seen[1] = seen[0];
    }
    for (std::int64_t line = 0; line < kLines; ++line) {
      for (std::int64_t t = std::max<std::int64_t>(0, cache.length(line) - kKept);
           t < cache.length(line); ++t) {
        check_holds(cache, slot_of(cache, line, t), seen[line][static_cast<std::size_t>(t)]);
      }
    }
  }
  CHECK(cache.slots() <= 2 * kLines * kKept);

  // Passes of several positions, which all see the window before them.
  SlotLayout layout = SlotLayout::keys_and_values(1, DType::f32);
  layout.window = kKept;
  layout.first_slots = 4;
  KvCache in_parts({layout}, Device{});
  in_parts.add_line();
  for (int part = 0; part < 5; ++part) in_parts.extend(0, in_parts.pass());
  std::set<std::int32_t> seen_at_once;
  for (std::int64_t back = 1; back <= kKept + in_parts.pass(); ++back) {
    seen_at_once.insert(slot_of(in_parts, 0, in_parts.length(0) - back));
  }
  CHECK(std::ssize(seen_at_once) == layout.max_slots(1000));
  CHECK(layout.max_slots(5) == 5);

  // Passes to come, of a position each: a circle of slots for each line.
  const std::int64_t length = cache.length(0);
  cache.reserve(kLines * cache.slots_for_passes(1000));
  for (std::int64_t line = 0; line < kLines; ++line) cache.extend_in_passes(line, 1000);
  for (std::int64_t pass = 0; pass < 1000; ++pass) {
    for (std::int64_t line = 0; line < kLines; ++line) {
      seen[line].push_back(next += 10);
      put(cache, slot_of(cache, line, length + pass), next);
    }
    for (std::int64_t line = 0; line < kLines; ++line) {
      for (std::int64_t t = length + pass - kKept + 1; t <= length + pass; ++t) {
        check_holds(cache, slot_of(cache, line, t), seen[line][static_cast<std::size_t>(t)]);
      }
    }
  }
  CHECK(cache.slots() <= 4 * kLines * kKept);
}
