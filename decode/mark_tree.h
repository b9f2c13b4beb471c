// The marks of a sentence as a tree: pairs enclose units of its text and each other, what stands alone is a leaf. For
// decode/mark_placement.h.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "data/documents/mark.h"
#include "data/sentences/text_units.h"

namespace kette::placing {

inline constexpr std::size_t kNoMark = static_cast<std::size_t>(-1);

/// A pair, or a mark that stands alone; the root is the sentence.
struct MarkNode {
  std::size_t opens = kNoMark,
              closes = kNoMark;  ///< places among the marks; of what stands alone the same
  /// Units of the source: of a pair those that begin and end within it (an enclosed part counts), alone the one behind it.
  std::size_t begin = 0, end = 0;
  std::vector<std::size_t> children{};  ///< in the order of the source

  bool encloses() const { return begin < end; }
};

/// Without those that break lines. Node 0 is the root.
std::vector<MarkNode> mark_tree(const std::vector<Mark>& marks, const std::vector<TextUnit>& units);

}  // namespace kette::placing
