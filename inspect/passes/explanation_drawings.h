// HTML drawings of an explanation, for a page.
#pragma once

#include <string>

#include "inspect/passes/explanation.h"

namespace kette {

/// For people; see shown_piece().
std::vector<std::string> shown_pieces(const std::vector<std::string>& pieces);
/// "layer 3, at the step that reads a word"
std::string way_of(const LayerAlignment& alignment);
/// The source above, the translation below, and alignment lines between.
std::string translation_drawing(const Explanation& e);
/// The terms of each word's logit, folded.
std::string attribution_drawing(const Explanation& e);
/// All attention maps, by kind, layer and head.
std::string attention_drawing(const Explanation& e);
/// The logit lens of each word after each block.
std::string lens_drawing(const Explanation& e);

}  // namespace kette
