// Continues a prompt, by sampling or by beam search.
#pragma once

#include <vector>

#include "decode/beam.h"
#include "decode/ensemble.h"
#include "decode/sampled_texts.h"

namespace kette {

struct GenerateOptions : SamplingOptions {
  std::int64_t max_tokens = 200;  ///< of each text
  std::int64_t texts = 1;
  std::int64_t first_text = 0;    ///< number of the first text, for the random draws
  std::int32_t end_of_text = -1;  ///< the token that ends a text; -1: texts end only at max_tokens
  Tap* tap = nullptr;             ///< observes every pass
  /// Tokens that are never written (decode/text_pieces.h, without_pieces()).
  std::vector<std::int32_t> banned{};
};

/// Options of search_continuations().
struct ContinueOptions : SearchOptions {
  ContinueOptions() { beam = 1; }
  std::int64_t max_tokens = 200;
  std::int32_t end_of_text = -1;  ///< the token that ends a text; -1: texts end only at max_tokens
  Tap* tap = nullptr;             ///< observes every pass
  std::function<void()> before_step{};  ///< as WorkOptions::before_step
  /// Tokens that are never written (decode/text_pieces.h, without_pieces()).
  std::vector<std::int32_t> banned{};
};

/// The options.n_best likeliest continuations, best first. model and prompt: as for generate(), but
/// an Error unless prompt and text fit in the model's positions together.
std::vector<Hypothesis> search_continuations(const Ensemble& model,
                                             const std::vector<std::int32_t>& prompt,
                                             ContinueOptions options);

/// Samples continuations; returns the tokens after the prompt. model: without an encoder, from
/// for_decoding(). prompt: at least one token; if it exceeds the model's positions, only its last
/// tokens are read.
std::vector<std::vector<std::int32_t>> generate(const Ensemble& model,
                                                const std::vector<std::int32_t>& prompt,
                                                const GenerateOptions& options,
                                                const OnToken& on_token = {});

}  // namespace kette
