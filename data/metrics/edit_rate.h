// The number of edits from one sentence to another: words inserted, deleted or replaced, and moves
// of runs of words, each one edit (Snover et al. 2006, section 3). The minimum is NP-hard to find;
// this follows the heuristics of sacreBLEU 2, which are those of the program Tercom:
//   1. While some move lowers the edit distance, make the one that lowers it most.
//   2. edits = moves + remaining edit distance
// A run may move next to where the reference has the same words, if neither place is right already.
// Among equally good moves the longest run wins, then the earliest, then the earliest place. A run
// has at most 10 words; sentences with 1,000 candidate moves keep the moves made before. Distances
// use a beam of 25 words around the diagonal.
//
// A sentence after a move has the same start as before it, so the distance rows up to there are
// shared. A move that cannot beat the best one is dropped as soon as a row shows that.
#pragma once

#include <cstdint>
#include <string_view>

namespace kette {

/// hypothesis, reference: word numbers (WordNumbers).
std::int64_t edits_with_moves(std::u32string_view hypothesis, std::u32string_view reference);

}  // namespace kette
