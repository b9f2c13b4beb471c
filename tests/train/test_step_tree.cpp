// The tree over which a step's gradients are summed, and how buffers are dealt out.
#include <doctest/doctest.h>

#include <numeric>

#include "tensor/kernels.h"
#include "tensor/random.h"
#include "train/shards.h"
#include "train/step_tree.h"

namespace kette {
namespace {

/// A sum as text, "((0+1)+2)": what is added to what, in which order.
std::string formula(const Interval& leaves) {
  if (leaves.size() == 1) return std::to_string(leaves.begin);
  std::int64_t half = 1;
  while (2 * half < leaves.size()) half *= 2;
  return "(" + formula({leaves.begin, leaves.begin + half}) + "+" +
         formula({leaves.begin + half, leaves.end}) + ")";
}

using Parts = std::vector<TreePart<std::string>>;

void add(Parts& parts, TreePart<std::string> part, std::int64_t leaves) {
  add_node(parts, std::move(part), leaves,
           [](const std::string& a, const std::string& b) { return "(" + a + "+" + b + ")"; });
}

TEST_CASE("step tree: any number of processes adds up the same") {
  for (std::int64_t leaves = 1; leaves <= 70; ++leaves) {
    for (int processes = 1; processes <= std::min<std::int64_t>(17, leaves); ++processes) {
      CAPTURE(leaves);
      CAPTURE(processes);
      Parts all;
      for (int process = 0; process < processes; ++process) {
        const Interval mine = share_of(process, processes, leaves);
        CHECK(mine.size() >= leaves / processes);
        CHECK(mine.size() <= leaves / processes + 1);
        Parts parts;
        for (std::int64_t leaf = mine.begin; leaf < mine.end; ++leaf) {
          add(parts, {{leaf, leaf + 1}, std::to_string(leaf)}, leaves);
        }
        std::vector<Interval> nodes;
        for (auto& part : parts) {
          CHECK(part.sum == formula(part.node));
          nodes.push_back(part.node);
          add(all, std::move(part), leaves);
        }
        CHECK(nodes_of(mine, leaves) == nodes);
      }
      REQUIRE(all.size() == 1);
      CHECK(all.front().sum == formula({0, leaves}));
    }
  }
  CHECK(formula({0, 7}) == "(((0+1)+(2+3))+((4+5)+6))");
}

TEST_CASE("step tree: batches become leaves so that stretches of them cost about the same") {
  Random random(3);
  for (const std::int64_t leaves : {1, 2, 3, 8, 24, 25, 64}) {
    std::vector<std::int64_t> costs;
    for (std::int64_t i = 0; i < leaves; ++i) costs.push_back(3000 + random.below(1000));
    const std::vector<std::int64_t> order = leaf_order(costs);
    std::vector<std::int64_t> sorted = order;
    std::sort(sorted.begin(), sorted.end());
    for (std::int64_t i = 0; i < leaves; ++i) CHECK(sorted[i] == i);
    for (const int processes : {2, 4, 8}) {
      if (leaves % processes != 0 || leaves / processes < 3) continue;
      const auto cost_of = [&](int process, const std::vector<std::int64_t>& of) {
        const Interval mine = share_of(process, processes, leaves);
        std::int64_t cost = 0;
        for (std::int64_t i = mine.begin; i < mine.end; ++i) cost += costs[of[i]];
        return cost;
      };
      std::vector<std::int64_t> plain(costs.size());
      std::iota(plain.begin(), plain.end(), 0);
      const auto dearest = [&](const std::vector<std::int64_t>& of) {
        std::int64_t most = 0;
        for (int process = 0; process < processes; ++process) {
          most = std::max(most, cost_of(process, of));
        }
        return most;
      };
      CAPTURE(leaves);
      CAPTURE(processes);
      const std::int64_t all = std::accumulate(costs.begin(), costs.end(), std::int64_t{0});
      CHECK(dearest(order) <= dearest(plain));
      CHECK(static_cast<double>(dearest(order)) < 1.02 * static_cast<double>(all) / processes);
    }
  }
}

TEST_CASE("shards: pieces cover all elements once, in whole blocks, and are dealt out evenly") {
  for (const std::int64_t elements : {1, 4096, 4097, 100'000, 1'234'567}) {
    for (const int processes : {1, 2, 3, 8}) {
      for (const std::int64_t chunk : {1, 16'384, 1 << 20}) {
        std::vector<std::int64_t> owned;
        std::vector<int> covered(static_cast<std::size_t>(elements));
        for (int process = 0; process < processes; ++process) {
          const Shards shards(elements, process, processes, chunk);
          std::int64_t end = 0;
          shards.for_pieces([&](const Interval& piece, const Interval& place) {
            CHECK(place.begin == end);
            CHECK(place.size() == piece.size());
            CHECK(piece.begin % kSquaresBlock == 0);
            for (std::int64_t i = piece.begin; i < piece.end; ++i) ++covered[i];
            end = place.end;
          });
          CHECK(shards.owned() == end);
          owned.push_back(end);
          std::int64_t at = 0;
          for (std::int64_t i = 0; i < shards.chunks(); ++i) {
            CHECK(shards.chunk(i).begin == at);
            at = shards.chunk(i).end;
            const Interval piece = shards.piece(i);
            CHECK(shards.of_blocks().piece(i) == Interval{ceil_div(piece.begin, kSquaresBlock),
                                                          ceil_div(piece.end, kSquaresBlock)});
          }
          CHECK(at == elements);
        }
        CHECK(std::count(covered.begin(), covered.end(), 1) == elements);
        const auto [least, most] = std::minmax_element(owned.begin(), owned.end());
        CHECK(*most - *least <= 4 * kSquaresBlock);
      }
    }
  }
  CHECK(Shards(1000).chunks() == 1);
  CHECK(Shards(1000).piece(0) == Interval{0, 1000});
}

}  // namespace
}  // namespace kette
