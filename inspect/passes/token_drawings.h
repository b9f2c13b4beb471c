// Tokens in a line, drawn as SVG: two sentences and what is aligned, and the tree of a beam.
#pragma once

#include <string>
#include <vector>

#include "inspect/passes/beam_tree.h"
#include "inspect/passes/explanation.h"

namespace kette {

/// Source above, target below. shade: of each target token, 0 to 1.
std::string alignment_drawing(const std::vector<std::string>& source,
                              const std::vector<std::string>& target,
                              const std::vector<std::int64_t>& aligned,
                              const std::vector<double>& shade);

/// From left to right step by step, in each the likeliest on top.
std::string beam_drawing(const Explanation& explanation);

/// How a piece is shown, in a drawing or a row of a table: spaces and control characters as pictures (U+2423, the end of
/// a line U+21B5), parts of a character as \xe2. Of pieces, only the mark that ends a text may stand for none.
std::string shown_piece(const std::string& piece);

}  // namespace kette
