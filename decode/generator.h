// Text that goes on from a prompt, drawn by chance or searched for.
#pragma once

#include <vector>

#include "decode/beam.h"
#include "decode/drawn_texts.h"
#include "decode/ensemble.h"

namespace kette {

struct GenerateOptions : SamplingOptions {
  std::int64_t max_tokens = 200;  ///< of each text
  std::int64_t texts = 1;
  std::int64_t first_text = 0;    ///< the number of the first, on which its draws depend
  std::int32_t end_of_text = -1;  ///< a text ends with it; -1: texts end with max_tokens alone
  Tap* tap = nullptr;             ///< looks into every pass
};

/// The likeliest texts that go on from a prompt, as a beam search finds them.
struct ContinueOptions : SearchOptions {
  ContinueOptions() { beam = 1; }
  std::int64_t max_tokens = 200;
  std::int32_t end_of_text = -1;  ///< a text ends with it; -1: texts end with max_tokens alone
};

/// The options.n_best likeliest, falling. model and prompt: as for generate(), but prompt and text must fit in the
/// model's positions together.
std::vector<Hypothesis> search_continuations(const Ensemble& model,
                                             const std::vector<std::int32_t>& prompt,
                                             ContinueOptions options);

/// model: without an encoder, made ready for decoding. prompt: at least one token; of more than it has positions it
/// reads the last. The tokens after it, of each text.
std::vector<std::vector<std::int32_t>> generate(const Ensemble& model,
                                                const std::vector<std::int32_t>& prompt,
                                                const GenerateOptions& options,
                                                const OnToken& on_token = {});

}  // namespace kette
