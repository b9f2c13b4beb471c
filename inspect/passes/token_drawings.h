// SVG drawings of tokens: two sentences with their alignment, and the tree of a beam search.
#pragma once

#include <string>
#include <vector>

#include "inspect/passes/beam_tree.h"
#include "inspect/passes/explanation.h"

namespace kette {

/// Source above, target below. aligned: for each target token its source token. shade: by target token, 0 to 1.
std::string alignment_drawing(const std::vector<std::string>& source,
                              const std::vector<std::string>& target,
                              const std::vector<std::int64_t>& aligned,
                              const std::vector<double>& shade);

/// Steps from left to right; in each the likeliest on top.
std::string beam_drawing(const Explanation& explanation);

/// A piece for a drawing or table. Spaces and control characters become pictures (U+2423; a line break U+21B5), bytes
/// of an incomplete character become \xe2. Only the end mark of a text may become empty.
std::string shown_piece(const std::string& piece);

}  // namespace kette
