// Translates sentences of ids, all at once, by as many workers as there is work for. Results do not
// depend on batching, order or number of threads: tokens and scores are the same, bit for bit.
#pragma once

#include <functional>
#include <vector>

#include "decode/job_queue.h"
#include "decode/run_requests.h"
#include "decode/translation_request.h"

namespace kette {

/// The n best hypotheses of each sentence, best first, or n samples. A sentence without tokens has
/// the empty hypothesis. model: from for_decoding(). Throws an Error as check_source() does.
std::vector<std::vector<Hypothesis>> translate_ids(const Ensemble& model,
                                                   const std::vector<SourceIds>& sources,
                                                   const DecodingOptions& options = {},
                                                   const WorkOptions& work = {},
                                                   const SentenceProgress& progress = {});
/// The same for sentences with ids only, numbered from 0.
std::vector<std::vector<Hypothesis>> translate_ids(
    const Ensemble& model, const std::vector<std::vector<std::int32_t>>& sources,
    const DecodingOptions& options = {}, const WorkOptions& work = {},
    const SentenceProgress& progress = {});

/// Called with the result of sentence i, by all workers, in any order.
using TakeHypotheses = std::function<void(std::int64_t i, std::vector<Hypothesis> found)>;
/// The same, with results as soon as they are found. early: finish the first sentences early.
void translate_ids(const Ensemble& model, const std::vector<SourceIds>& sources,
                   const DecodingOptions& options, const WorkOptions& work, bool early,
                   const SentenceProgress& progress, const TakeHypotheses& take);

}  // namespace kette
