// Which units of a translation the pairs of a sentence go round, and between which its other marks stand. For
// decode/mark_placement.h.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "decode/mark_tree.h"

namespace kette::placing {

/// Two texts as units, each of the one with those of the other that it is linked to.
struct LinkedTexts {
  std::string_view source_text, target_text;
  std::vector<TextUnit> source, target;
  std::vector<std::vector<std::size_t>> targets;  ///< of each source unit, rising
  std::vector<std::size_t> linked_words;          ///< among the target's units before each place

  bool is_blank_before_target(std::size_t unit) const {
    return unit > 0 && target[unit - 1].end < target[unit].begin;
  }
};

/// Units are cut where a mark stands within one, also those of the target that are the same there. Links of words are
/// taken as given, those of punctuation are made here, between marks of one kind.
LinkedTexts linked_texts(std::string_view source, std::string_view target,
                         const std::vector<Mark>& marks,
                         const std::vector<std::pair<std::size_t, std::size_t>>& links);

/// Target units [begin, end) of a node; of one that encloses none the gap before `begin`.
struct TargetSpan {
  std::size_t begin = 0, end = 0;
};

/// Of each node. Those of siblings are disjoint and lie within their parent's.
std::vector<TargetSpan> target_spans(const std::vector<MarkNode>& nodes,
                                     const std::vector<Mark>& marks, const LinkedTexts& texts);

bool is_opening(std::string_view unit);
bool is_closing(std::string_view unit);

}  // namespace kette::placing
