// Texts drawn from what the model predicts, many side by side: the jobs of a beam search
// (decode/beam_search.h), answered by chance instead. What is drawn for a text depends on the seed and
// its number alone: fewer samples are the first of more.
#pragma once

#include "decode/beam_search.h"
#include "decode/sampling.h"

namespace kette {

/// Draws `samples` texts for each job, without scores. first_number: what is added to the jobs'
/// numbers. budget: as for beam_search(), with the samples in the place of the beam.
void sample_texts(const Ensemble& model, const SearchVocabulary& vocabulary,
                  const SamplingOptions& options, std::int64_t samples, std::int64_t first_number,
                  std::int64_t budget, const SupplyJobs& supply, const FinishJob& finish);

}  // namespace kette
