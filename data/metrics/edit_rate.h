// How many edits make one sentence of another: words inserted, deleted or replaced, and runs of words moved,
// each of which counts as one edit (Snover et al. 2006, section 3). The least number is NP-hard to find;
// what is counted here are the choices of sacreBLEU 2, which follow those of the program Tercom:
//   1. While some move of a run lowers the edit distance, make the one that lowers it most.
//   2. edits = moves + edit distance that is left
// A run may move to beside where the reference has the same words, if neither place is right already. Of
// equally good moves the longest run counts, then the earliest, then the earliest place. A run has at most 10
// words; sentences with 1,000 moves to try keep what was made before. Distances are taken in a beam of 25
// words around the diagonal.
//
// A moved sentence begins like the one it was made of, so the rows of the distance are shared up to there,
// and a move that cannot beat the best one is given up as soon as a row says so.
#pragma once

#include <cstdint>
#include <string_view>

namespace kette {

/// Of numbered words (WordNumbers).
std::int64_t edits_with_moves(std::u32string_view hypothesis, std::u32string_view reference);

}  // namespace kette
