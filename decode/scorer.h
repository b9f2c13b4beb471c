// Scores a given translation: log P(t_i | source, t_1 .. t_(i-1)) for each target token and the end
// mark (teacher forcing). Uses the kernels of beam search, so a translation that a search found
// gets the same score, bit for bit.
#pragma once

#include <vector>

#include "decode/ensemble.h"
#include "decode/job_queue.h"
#include "decode/run_requests.h"

namespace kette {

struct SentenceScore {
  double log_probability = 0;                  ///< the sum
  std::vector<float> token_log_probabilities;  ///< of each target token, then of </s>

  std::int64_t tokens() const { return static_cast<std::int64_t>(token_log_probabilities.size()); }
};

/// model: from for_decoding(), with special tokens. sources, targets: without begin and end marks.
/// An Error with the sentence's number if it is longer than the model's positions.
std::vector<SentenceScore> score_ids(const Ensemble& model,
                                     const std::vector<std::vector<std::int32_t>>& sources,
                                     const std::vector<std::vector<std::int32_t>>& targets,
                                     const WorkOptions& work = {},
                                     const SentenceProgress& progress = {});

}  // namespace kette
