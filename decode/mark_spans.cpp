#include "decode/mark_spans.h"

#include <algorithm>
#include <optional>

namespace kette::placing {
namespace {

/// A target unit, and the child whose words it is linked to.
struct Owned {
  std::size_t unit, child;
  bool operator<(const Owned& other) const { return unit < other.unit; }
};

class Spans {
 public:
  Spans(const std::vector<MarkNode>& nodes, const std::vector<Mark>& marks,
        const LinkedTexts& texts)
      : nodes_(nodes),
        marks_(marks),
        texts_(texts),
        spans_(nodes.size()),
        owner_(texts.target.size(), 0),
        covered_(texts.target.size(), 0),
        parent_(nodes.size(), kNoMark) {
    const std::size_t units = texts.source.size();
    left_.assign(units + 1, kNoMark);
    right_.assign(units + 1, kNoMark);
    for (std::size_t i = 0; i < units; ++i) {
      left_[i + 1] = texts.targets[i].empty() ? left_[i] : i;
    }
    for (std::size_t i = units; i-- > 0;) right_[i] = texts.targets[i].empty() ? right_[i + 1] : i;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      for (const std::size_t child : nodes[i].children) parent_[child] = i;
    }
    spans_[0] = {0, texts.target.size()};
  }

  /// Parents come before their children.
  std::vector<TargetSpan> operator()() {
    for (std::size_t i = 0; i < nodes_.size(); ++i) place_children(i);
    return std::move(spans_);
  }

 private:
  std::size_t linked_words(std::size_t begin, std::size_t end) const {
    return texts_.linked_words[end] - texts_.linked_words[begin];
  }
  static bool holds(const TargetSpan& span, std::size_t unit) {
    return unit >= span.begin && unit < span.end;
  }

  /// The target units linked to words of the children, ascending. A unit belongs to the first child
  /// that claims it.
  std::vector<Owned> claims(std::size_t parent) {
    std::vector<Owned> owned;
    for (const std::size_t child : nodes_[parent].children) {
      for (std::size_t i = nodes_[child].begin; i < nodes_[child].end; ++i) {
        for (const std::size_t unit : texts_.targets[i]) {
          if (!holds(spans_[parent], unit)) continue;
          const std::size_t other = owner_[unit];
          if (other != 0 && parent_[other] == parent) continue;
          owner_[unit] = child;
          owned.push_back({unit, child});
        }
      }
    }
    std::sort(owned.begin(), owned.end());
    return owned;
  }

  void place_children(std::size_t parent) {
    const MarkNode& node = nodes_[parent];
    if (node.children.empty()) return;
    std::vector<std::size_t> left;  // that found no words
    const bool is_whole = node.children.size() == 1 && node.encloses() &&
                          nodes_[node.children[0]].begin == node.begin &&
                          nodes_[node.children[0]].end == node.end;
    if (is_whole) {
      spans_[node.children[0]] = spans_[parent];
      return;
    }
    const std::vector<Owned> owned = claims(parent);
    // The indices in `owned` of each child's units, ascending.
    std::vector<std::pair<std::size_t, std::size_t>> of_children;
    for (std::size_t i = 0; i < owned.size(); ++i) of_children.emplace_back(owned[i].child, i);
    std::sort(of_children.begin(), of_children.end());
    auto next = of_children.begin();
    std::vector<std::size_t> points;
    for (const std::size_t child : node.children) {
      std::vector<std::size_t> places;
      for (; next != of_children.end() && next->first == child; ++next) {
        places.push_back(next->second);
      }
      if (!nodes_[child].encloses()) {
        points.push_back(child);
      } else if (places.empty()) {
        left.push_back(child);
      } else {
        spans_[child] = span_of(parent, child, owned, places);
        cover(child);
      }
    }
    for (const std::size_t child : left) {
      if (const auto span = unlinked_span(parent, child)) {
        spans_[child] = *span;
        cover(child);
      } else {
        points.push_back(child);
      }
    }
    for (const std::size_t child : points) {
      const std::size_t gap = gap_of(parent, child);
      spans_[child] = {gap, gap};
    }
  }

  void cover(std::size_t child) {
    for (std::size_t i = spans_[child].begin; i < spans_[child].end; ++i) covered_[i] = child;
  }
  /// The child of this parent whose span covers a unit; 0: none.
  std::size_t covering(std::size_t parent, std::size_t unit) const {
    const std::size_t child = covered_[unit];
    return child != 0 && parent_[child] == parent ? child : 0;
  }

  /// places: indices in `owned` of the child's units.
  TargetSpan span_of(std::size_t parent, std::size_t child, const std::vector<Owned>& owned,
                     const std::vector<std::size_t>& places) const {
    const TargetSpan& within = spans_[parent];
    if (const auto all = all_words(parent, child, owned, places)) return *all;
    std::vector<std::size_t> words;
    for (const std::size_t place : places) {
      if (texts_.target[owned[place].unit].is_word) words.push_back(place);
    }
    const std::vector<std::size_t>& chosen = words.empty() ? places : words;
    const auto unit = [&](std::size_t i) { return owned[chosen[i]].unit; };
    const auto is_alone = [&](std::size_t from, std::size_t to) {  // no other pair's words between
      for (std::size_t i = chosen[from] + 1; i < chosen[to]; ++i) {
        if (owned[i].child != child) return false;
      }
      return true;
    };
    TargetSpan span{unit(0), unit(chosen.size() - 1) + 1};
    const std::size_t swallowed = linked_words(span.begin, span.end) - words.size();
    if (!is_alone(0, chosen.size() - 1) || swallowed > chosen.size()) {
      // The longest run without units of others.
      std::size_t longest = 0;
      for (std::size_t from = 0; from < chosen.size();) {
        std::size_t to = from;
        while (to + 1 < chosen.size() && is_alone(to, to + 1) &&
               linked_words(unit(to) + 1, unit(to + 1)) == 0) {
          ++to;
        }
        if (to + 1 - from > longest) {
          longest = to + 1 - from;
          span = {unit(from), unit(to) + 1};
        }
        from = to + 1;
      }
    }
    while (span.begin > within.begin && owner_[span.begin - 1] == child) --span.begin;
    while (span.end < within.end && owner_[span.end] == child) ++span.end;
    return span;
  }

  /// For a pair around all words of its parent: the parent's whole span, linked or not.
  std::optional<TargetSpan> all_words(std::size_t parent, std::size_t child,
                                      const std::vector<Owned>& owned,
                                      const std::vector<std::size_t>& places) const {
    const MarkNode &outer = nodes_[parent], &inner = nodes_[child];
    if (places.size() != owned.size()) return {};
    const auto has_word = [&](std::size_t begin, std::size_t end) {
      return std::any_of(texts_.source.begin() + static_cast<std::ptrdiff_t>(begin),
                         texts_.source.begin() + static_cast<std::ptrdiff_t>(end),
                         [](const TextUnit& unit) { return unit.is_word; });
    };
    if (has_word(outer.begin, inner.begin) || has_word(inner.end, outer.end)) return {};
    TargetSpan span = spans_[parent];
    if (inner.begin > outer.begin) {
      while (span.begin < span.end && !texts_.target[span.begin].is_word &&
             owner_[span.begin] != child) {
        ++span.begin;
      }
    }
    if (inner.end < outer.end) {
      while (span.end > span.begin && !texts_.target[span.end - 1].is_word &&
             owner_[span.end - 1] != child) {
        --span.end;
      }
    }
    return span.begin < span.end ? std::optional(span) : std::nullopt;
  }

  /// For a pair without links: the unlinked units between those of its neighbouring words.
  std::optional<TargetSpan> unlinked_span(std::size_t parent, std::size_t child) const {
    const MarkNode& node = nodes_[child];
    const TargetSpan& within = spans_[parent];
    const std::size_t before = left_[node.begin], after = right_[node.end];
    TargetSpan span = within;
    if (before != kNoMark && before >= nodes_[parent].begin) {
      span.begin = std::max(span.begin, run(before).end);
    }
    if (after != kNoMark && after < nodes_[parent].end) {
      span.end = std::min(span.end, run(after).begin);
    }
    const std::size_t most = 2 * (node.end - node.begin) + 1;
    if (span.begin >= span.end || span.end - span.begin > most ||
        linked_words(span.begin, span.end) > 0) {
      return {};
    }
    for (std::size_t i = span.begin; i < span.end; ++i) {
      if (covering(parent, i) != 0) return {};
    }
    // Excludes the punctuation at its ends.
    while (span.begin < span.end && !texts_.target[span.begin].is_word) ++span.begin;
    while (span.end > span.begin && !texts_.target[span.end - 1].is_word) --span.end;
    return span.begin < span.end ? std::optional(span) : std::nullopt;
  }

  /// The longest run among the target units of a linked source unit.
  TargetSpan run(std::size_t source_unit) const {
    const std::vector<std::size_t>& units = texts_.targets[source_unit];
    TargetSpan longest{units[0], units[0] + 1};
    for (std::size_t from = 0; from < units.size();) {
      std::size_t to = from;
      while (to + 1 < units.size() && units[to + 1] == units[to] + 1) ++to;
      if (to + 1 - from > longest.end - longest.begin) longest = {units[from], units[to] + 1};
      from = to + 1;
    }
    return longest;
  }

  /// The gap for a single mark, or for a pair that encloses nothing.
  std::size_t gap_of(std::size_t parent, std::size_t child) const {
    const MarkNode& outer = nodes_[parent];
    const TargetSpan& within = spans_[parent];
    const std::size_t unit = nodes_[child].begin, at = marks_[nodes_[child].opens].at;
    if (unit <= outer.begin) return within.begin;
    if (nodes_[child].end >= outer.end) return within.end;
    const bool touches_left = texts_.source[unit - 1].end == at,
               touches_right = texts_.source[unit].begin == at;
    const auto behind = [&]() -> std::optional<std::size_t> {
      const std::size_t word = left_[unit];
      if (word == kNoMark || word < outer.begin) return {};
      const std::size_t gap = run(word).end;
      return gap > within.begin && gap <= within.end ? std::optional(gap) : std::nullopt;
    };
    const auto before = [&]() -> std::optional<std::size_t> {
      const std::size_t word = right_[unit];
      if (word == kNoMark || word >= outer.end) return {};
      const std::size_t gap = run(word).begin;
      return gap >= within.begin && gap < within.end ? std::optional(gap) : std::nullopt;
    };
    std::optional<std::size_t> gap;
    bool is_before = touches_right && !touches_left;
    if (is_before) gap = before();
    // Otherwise beside the nearer word.
    const bool left_is_near = left_[unit] == unit - 1 || right_[unit] != unit;
    if (!gap && !left_is_near) gap = before(), is_before = gap.has_value();
    if (!gap) gap = behind(), is_before = false;
    if (!gap) gap = before(), is_before = gap.has_value();
    if (!gap) {
      const double share =
          static_cast<double>(unit - outer.begin) / static_cast<double>(outer.end - outer.begin);
      gap = within.begin +
            static_cast<std::size_t>(share * static_cast<double>(within.end - within.begin));
    }
    std::size_t found = *gap;
    if (!touches_left && !touches_right) found = apart(found, within);
    return outside(parent, found, is_before);
  }

  /// A mark with white space on both sides must not be placed within a word.
  std::size_t apart(std::size_t gap, const TargetSpan& within) const {
    constexpr std::size_t kMostParts = 8;
    for (std::size_t i = gap; i < std::min(gap + kMostParts, within.end); ++i) {
      if (texts_.is_blank_before_target(i) || is_closing(texts_.target[i].of(texts_.target_text))) {
        return i;
      }
    }
    return gap;
  }

  /// Moves a gap out of other pairs of the same parent.
  std::size_t outside(std::size_t parent, std::size_t gap, bool is_before) const {
    const TargetSpan& within = spans_[parent];
    if (gap <= within.begin || gap >= within.end) return gap;
    const std::size_t pair = covering(parent, gap);
    if (pair == 0 || covering(parent, gap - 1) != pair) return gap;
    return is_before ? spans_[pair].begin : spans_[pair].end;
  }

  const std::vector<MarkNode>& nodes_;
  const std::vector<Mark>& marks_;
  const LinkedTexts& texts_;
  std::vector<TargetSpan> spans_;
  std::vector<std::size_t> owner_, covered_;  // of each target unit the last child
  std::vector<std::size_t> parent_;
  std::vector<std::size_t> left_, right_;  // of each gap of the source the next linked unit
};

}  // namespace

std::vector<TargetSpan> target_spans(const std::vector<MarkNode>& nodes,
                                     const std::vector<Mark>& marks, const LinkedTexts& texts) {
  return Spans(nodes, marks, texts)();
}

}  // namespace kette::placing
