// Transfers the marks of a document's sentence (data/documents/document.h) to its translation. A
// pair of tags goes around the target words that are aligned with its source words. A single mark
// goes after the target words of the word before it. A soft line break goes to the same fraction of
// the text. Every mark of the source occurs in the target once, and pairs stay nested. If the
// target equals the source and each word is linked to itself, all marks keep their places.
//
// A pair surrounds all target words between the first and the last linked one, unless more words
// there belong to others than are linked, or some to another pair. Then it surrounds the longest
// run of linked words. A pair without linked words surrounds nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/documents/mark.h"
#include "data/sentences/text_units.h"

namespace kette {

struct MarkedText {
  /// The target. Has a space where a single mark had white space on that side in the source.
  std::string text{};
  std::vector<Mark> marks{};
};

/// marks: of the source sentence, ascending by `at`. Partners are indices in `marks`. Pairs that
/// cross or lack a partner are treated as single marks. links: of words; punctuation is linked
/// here. Every input has a result: a place after the source counts as its end, and links of units
/// that do not exist are ignored.
MarkedText place_marks(std::string_view source, const std::vector<Mark>& marks,
                       std::string_view target, const UnitLinks& links);

}  // namespace kette
