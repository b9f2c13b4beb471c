#include "train/step_tree.h"

#include <algorithm>
#include <numeric>

namespace kette {
namespace {

/// Deals batches, the most expensive first, to the two halves of the leaves in the order left, right, right, left. Then
/// likewise within each half.
void deal(std::vector<std::int64_t> batches, std::vector<std::int64_t>& order) {
  if (batches.size() <= 1) {
    order.insert(order.end(), batches.begin(), batches.end());
    return;
  }
  std::vector<std::int64_t> left, right;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    (i % 4 == 0 || i % 4 == 3 ? left : right).push_back(batches[i]);
  }
  deal(std::move(left), order);
  deal(std::move(right), order);
}

}  // namespace

bool are_halves(const Interval& left, const Interval& right, std::int64_t leaves) {
  // The left child has a power of two of leaves and begins at a multiple of twice that.
  const std::int64_t whole = left.size();
  return left.end == right.begin && left.begin % (2 * whole) == 0 &&
         (right.size() == whole || (right.end == leaves && right.size() < whole));
}

std::vector<Interval> nodes_of(const Interval& range, std::int64_t leaves) {
  struct Nothing {};
  std::vector<TreePart<Nothing>> parts;
  for (std::int64_t leaf = range.begin; leaf < range.end; ++leaf) {
    add_node(parts, {{leaf, leaf + 1}, {}}, leaves, [](Nothing, Nothing) { return Nothing(); });
  }
  std::vector<Interval> nodes;
  for (const auto& part : parts) nodes.push_back(part.node);
  return nodes;
}

std::vector<std::int64_t> leaf_order(std::span<const std::int64_t> costs) {
  std::vector<std::int64_t> batches(costs.size()), order;
  std::iota(batches.begin(), batches.end(), 0);
  std::stable_sort(batches.begin(), batches.end(),
                   [&](std::int64_t a, std::int64_t b) { return costs[a] > costs[b]; });
  deal(std::move(batches), order);
  return order;
}

}  // namespace kette
