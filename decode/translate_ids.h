// Translation of sentences as ids: all of them at once, by as many workers as there is work for. What is found for a
// sentence does not depend on how they are batched, on their order, or on the number of threads: the same tokens and the
// same scores, bit for bit.
#pragma once

#include <functional>
#include <vector>

#include "decode/job_queue.h"
#include "decode/run_requests.h"
#include "decode/translation_request.h"

namespace kette {

/// model: made ready for decoding. Of each sentence the n best hypotheses, falling, or as many that were drawn; of one
/// without tokens the empty hypothesis. Throws an Error as check_source() does.
std::vector<std::vector<Hypothesis>> translate_ids(const Ensemble& model,
                                                   const std::vector<SourceIds>& sources,
                                                   const DecodingOptions& options = {},
                                                   const WorkOptions& work = {},
                                                   const SentenceProgress& progress = {});
/// The same for sentences that nothing else is known of, numbered from 0.
std::vector<std::vector<Hypothesis>> translate_ids(
    const Ensemble& model, const std::vector<std::vector<std::int32_t>>& sources,
    const DecodingOptions& options = {}, const WorkOptions& work = {},
    const SentenceProgress& progress = {});

/// Given what was found for sentence i, by all workers, in any order; samples once all are drawn.
using TakeHypotheses = std::function<void(std::int64_t i, std::vector<Hypothesis> found)>;
/// The same, as soon as it is found. early: the first ones are wanted early.
void translate_ids(const Ensemble& model, const std::vector<SourceIds>& sources,
                   const DecodingOptions& options, const WorkOptions& work, bool early,
                   const SentenceProgress& progress, const TakeHypotheses& take);

}  // namespace kette
