// What a document marks in a sentence (data/documents/document.h), carried over to the sentence's translation: tags round
// the words that the words between them became, what stands alone behind what the word before it became, soft line ends at
// the shares of the text that they had. Every mark of the source is in the target once, pairs enclose each other as they
// did, and an identical text with each word linked to itself has all marks at their places.
//
// A pair goes round the target words that the words it enclosed are linked to: round all that lies between them, unless
// more of that belongs to other words than is linked, or some of it to another pair; then round the longest run. A pair
// whose words are linked to nothing, or that had none, encloses nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "data/documents/mark.h"
#include "data/sentences/text_units.h"

namespace kette {

struct MarkedText {
  /// The target. Where what stands alone had white space on either side, it has some here.
  std::string text{};
  std::vector<Mark> marks{};
};

/// marks: of the source sentence, rising by `at`; partners are places among them. Those of pairs that cross each other or
/// lack a partner stand alone. links: of words; marks of punctuation are linked here. Any input has a result: places beyond
/// the source are its end, and links beyond the units none.
MarkedText place_marks(std::string_view source, const std::vector<Mark>& marks,
                       std::string_view target, const UnitLinks& links);

}  // namespace kette
