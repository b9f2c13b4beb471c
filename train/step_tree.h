// The gradients of a step's batches (leaves) are summed over a fixed binary tree. So the sum has the same bits for any
// number of processes. A node over leaves [begin, end) has two children: the left one has the largest power of two of
// leaves that is less than all, the right one has the rest.
//   7 leaves:  ((0 + 1) + (2 + 3)) + ((4 + 5) + 6)
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace kette {

/// [begin, end) of leaves or elements.
struct Interval {
  std::int64_t begin = 0, end = 0;

  std::int64_t size() const { return end - begin; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// The part of process number `process` when processes share `count` things in order.
inline Interval share_of(int process, int processes, std::int64_t count) {
  return {count * process / processes, count * (process + 1) / processes};
}

/// Whether two nodes are the children of one node, in the tree over `leaves` leaves.
bool are_halves(const Interval& left, const Interval& right, std::int64_t leaves);

/// A node and its sum.
template <class Value>
struct TreePart {
  Interval node;
  Value sum;
};

/// Appends a node to adjacent nodes. While the last two are children of one node, that node replaces them, with the sum
/// add(left, right). So `parts` are the fewest nodes; after the last leaf there is one.
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

/// The fewest nodes that cover a range of leaves exactly.
std::vector<Interval> nodes_of(const Interval& range, std::int64_t leaves);

/// The batch of each leaf, such that intervals with the same number of leaves cost about the same. costs: by batch.
std::vector<std::int64_t> leaf_order(std::span<const std::int64_t> costs);

}  // namespace kette
