// The parts of an explanation that are drawings: of HTML, for a page.
#pragma once

#include <string>

#include "inspect/passes/explanation.h"

namespace kette {

/// As people read them.
std::vector<std::string> shown_pieces(const std::vector<std::string>& pieces);
/// "layer 3, at the step that reads a word"
std::string way_of(const LayerAlignment& alignment);
/// The source above, the translation below, and lines between.
std::string translation_drawing(const Explanation& e);
/// Of each word what its logit is a sum of, folded.
std::string attribution_drawing(const Explanation& e);
/// All maps, by kinds, layers and heads.
std::string attention_drawing(const Explanation& e);
/// What each word would be after each block.
std::string lens_drawing(const Explanation& e);

}  // namespace kette
