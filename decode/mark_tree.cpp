#include "decode/mark_tree.h"

#include <algorithm>

namespace kette::placing {
namespace {

/// The partner of each mark, if the pair is nested properly.
std::vector<std::size_t> nested_partners(const std::vector<Mark>& marks) {
  std::vector<std::size_t> partners(marks.size(), kNoMark), open;
  std::vector<bool> is_open(marks.size());
  for (std::size_t i = 0; i < marks.size(); ++i) {
    if (marks[i].kind == Mark::Kind::opens) {
      open.push_back(i);
      is_open[i] = true;
    }
    if (marks[i].kind != Mark::Kind::closes) continue;
    const std::size_t partner = marks[i].partner;
    if (partner >= i || !is_open[partner] || marks[partner].partner != i) continue;
    // Marks opened within this pair and not closed would cross it.
    for (; open.back() != partner; open.pop_back()) is_open[open.back()] = false;
    open.pop_back();
    is_open[partner] = false;
    partners[partner] = i;
    partners[i] = partner;
  }
  return partners;
}

}  // namespace

std::vector<MarkNode> mark_tree(const std::vector<Mark>& marks,
                                const std::vector<TextUnit>& units) {
  const std::vector<std::size_t> partners = nested_partners(marks);
  std::vector<MarkNode> nodes(1);
  nodes[0].end = units.size();
  std::vector<std::size_t> open = {0};
  // Numbers of units that end at or before a mark, and that begin before it.
  std::size_t ended = 0, begun = 0;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const std::size_t at = marks[i].at;
    while (ended < units.size() && units[ended].end <= at) ++ended;
    while (begun < units.size() && units[begun].begin < at) ++begun;
    if (marks[i].kind == Mark::Kind::breaks) continue;
    if (partners[i] != kNoMark && partners[i] < i) {
      // A pair within one unit encloses that unit.
      nodes[open.back()].end = begun;
      open.pop_back();
      continue;
    }
    MarkNode node{i, partners[i] == kNoMark ? i : partners[i], ended, ended, {}};
    nodes[open.back()].children.push_back(nodes.size());
    if (partners[i] != kNoMark) open.push_back(nodes.size());
    nodes.push_back(std::move(node));
  }
  for (MarkNode& node : nodes) {
    const bool is_pair = node.opens != node.closes;
    // A pair around white space only, or around no byte within a unit.
    if (is_pair && marks[node.opens].at >= marks[node.closes].at) node.end = node.begin;
    node.end = std::max(node.begin, node.end);
  }
  return nodes;
}

}  // namespace kette::placing
