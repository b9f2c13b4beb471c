// How likely the model finds a given translation: log P(t_i | source, t_1 .. t_(i-1)) for each
// target token and the end mark (teacher forcing). By the same kernels as the search, so the score
// of a translation that the search found is the search's own, bit for bit.
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

/// model: made ready for decoding, with marks of its own. Ids without begin and end marks. One longer
/// than the model's positions is an Error with its number.
std::vector<SentenceScore> score_ids(const Ensemble& model,
                                     const std::vector<std::vector<std::int32_t>>& sources,
                                     const std::vector<std::vector<std::int32_t>>& targets,
                                     const WorkOptions& work = {},
                                     const SentenceProgress& progress = {});

}  // namespace kette
