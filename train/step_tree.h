// The gradients of a step's batches, its leaves, are summed over one fixed binary tree, however many processes share
// them out: so the sum has the same bits for any number of them. A node over leaves [begin, end) is the sum of two:
// of the largest power of two of them that is fewer than all, and of the rest.
//   7 leaves:  ((0 + 1) + (2 + 3)) + ((4 + 5) + 6)
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace kette {

/// Leaves, or elements, [begin, end).
struct Interval {
  std::int64_t begin = 0, end = 0;

  std::int64_t size() const { return end - begin; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// What process number `process` of so many does of `count` things, in their order.
inline Interval share_of(int process, int processes, std::int64_t count) {
  return {count * process / processes, count * (process + 1) / processes};
}

/// Whether two nodes, of the tree over so many leaves, are the halves of one.
bool are_halves(const Interval& left, const Interval& right, std::int64_t leaves);

/// A node that is known, and its sum.
template <class Value>
struct TreePart {
  Interval node;
  Value sum;
};

/// Adds the node behind the last of `parts`, which lie side by side: halves become the node that they are halves of, with
/// the sum add(left, right). So what is left are the fewest nodes; behind the last leaf it is one.
template <class Value, class Add>
void add_node(std::vector<TreePart<Value>>& parts, TreePart<Value> part, std::int64_t leaves,
              const Add& add) {
  while (!parts.empty() && are_halves(parts.back().node, part.node, leaves)) {
    part = {{parts.back().node.begin, part.node.end},
            add(std::move(parts.back().sum), std::move(part.sum))};
    parts.pop_back();
  }
  parts.push_back(std::move(part));
}

/// The fewest nodes that are all of a range of leaves.
std::vector<Interval> nodes_of(const Interval& range, std::int64_t leaves);

/// Which batch, by what they cost, is which leaf: such that any two stretches of as many leaves cost about the same.
std::vector<std::int64_t> leaf_order(std::span<const std::int64_t> costs);

}  // namespace kette
