// The marks of a sentence as a tree. A pair is a node that encloses units of text and other nodes.
// A single mark is a leaf. For decode/mark_placement.h.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "data/documents/mark.h"
#include "data/sentences/text_units.h"

namespace kette::placing {

inline constexpr std::size_t kNoMark = static_cast<std::size_t>(-1);

/// A pair, or a single mark. The root is the sentence.
struct MarkNode {
  std::size_t opens = kNoMark, closes = kNoMark;  ///< indices of its marks; equal for a single mark
  /// Source units. Of a pair: those that begin and end within it, with nested pairs. Of a single
  /// mark: the next one.
  std::size_t begin = 0, end = 0;
  std::vector<std::size_t> children{};  ///< in source order

  bool encloses() const { return begin < end; }
};

/// The tree of all marks except line breaks. Node 0 is the root.
std::vector<MarkNode> mark_tree(const std::vector<Mark>& marks, const std::vector<TextUnit>& units);

}  // namespace kette::placing
