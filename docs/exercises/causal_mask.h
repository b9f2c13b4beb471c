// Who attends to whom in a decoder. The sentences of a batch lie end to end, one token a row (tensor/segments.h): there is
// no padding, but there are neighbours. A token sees the tokens of its own sentence up to itself.
#pragma once

#include "tensor/segments.h"

/// Whether the token in row `query` sees the one in row `key`. Sentence i has the rows from sentences.begin(i) to before
/// sentences.end(i).
inline bool sees(std::int64_t query, std::int64_t key, const kette::Segments& sentences) {
  (void)query, (void)key, (void)sentences;
  return true;  // your turn
}
