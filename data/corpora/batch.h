// A batch of packed sentences, no padding (see tensor/segments.h). For a pair (s, t) of n and m
// tokens:
//   source     s1 .. sn </s>        rows of source_segments, n + 1 each
//   target_in  <s> t1 .. tm         what the decoder reads     } rows of target_segments,
//   target_out t1 .. tm </s>        what it is to say          } m + 1 each
// Those of a language model have an empty source (data/corpora/window_sampler.h).
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/segments.h"

namespace kette {

struct Batch {
  std::vector<std::int32_t> source;
  Segments source_segments;
  std::vector<std::int32_t> target_in, target_out;
  Segments target_segments;
  std::vector<std::int64_t> sentence_ids;  // numbers in the corpus
  /// Of the source's rows, for models that tell parts of a text apart (models/bert.h); empty: all 0.
  std::vector<std::int32_t> source_types{};
};

}  // namespace kette
