// Finds the units of a translation that each pair of marks surrounds, and the places of single
// marks. For decode/mark_placement.h.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "decode/mark_tree.h"

namespace kette::placing {

/// Two texts as units, with links between them.
struct LinkedTexts {
  std::string_view source_text, target_text;
  std::vector<TextUnit> source, target;
  /// Indices of linked target units for each source unit, ascending.
  std::vector<std::vector<std::size_t>> targets;
  /// Number of linked words before each target unit.
  std::vector<std::size_t> linked_words;

  bool is_blank_before_target(std::size_t unit) const {
    return unit > 0 && target[unit - 1].end < target[unit].begin;
  }
};

/// Splits source units at marks within them, and equal target units likewise. Adds links between
/// punctuation marks of the same kind to the given links of words.
LinkedTexts linked_texts(std::string_view source, std::string_view target,
                         const std::vector<Mark>& marks,
                         const std::vector<std::pair<std::size_t, std::size_t>>& links);

/// Target units [begin, end) of a node. If it encloses none, its place is before unit `begin`.
struct TargetSpan {
  std::size_t begin = 0, end = 0;
};

/// One for each node. Spans of siblings are disjoint and lie within their parent's.
std::vector<TargetSpan> target_spans(const std::vector<MarkNode>& nodes,
                                     const std::vector<Mark>& marks, const LinkedTexts& texts);

bool is_opening(std::string_view unit);
bool is_closing(std::string_view unit);

}  // namespace kette::placing
