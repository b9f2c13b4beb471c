// Texts side by side, drawn token by token from what a model predicts. All that a step needs stays on
// the device: on a GPU the step is recorded once and then queued as a whole, before the tokens of the
// one before are known. When the model sees no more of a text, it reads the later half of what it saw
// again and goes on from there: every token is predicted from at least positions / 2 before it.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "decode/ensemble.h"
#include "decode/sampling.h"

namespace kette {

/// What a text is to begin with, and how long it is to get at most, in tokens of the decoder.
struct TextStart {
  std::span<const std::int32_t> source;  ///< see RowStart
  std::vector<std::int32_t> tokens;      ///< at least one
  std::int64_t most = 0;
  std::int64_t number = 0;      ///< for the draws
  std::int64_t first_copy = 0;  ///< likewise
};

/// Told of each token as soon as it is there; the end mark is not among them.
using OnToken = std::function<void(std::int64_t text, std::int32_t token)>;

/// `copies` texts of each start: the tokens after it, without the end mark `end` (-1: there is none). A draw
/// depends on the seed, the number of the start, which copy it is, and the place in the text. model: made ready for decoding. masks: [1, words] as in TokenMasks, or
/// undefined. One with a source gets no longer than the model's positions; of another what is too long to be seen at
/// once is read from its last tokens on.
std::vector<std::vector<std::int32_t>> draw_texts(const Ensemble& model,
                                                  const SamplingOptions& sampling,
                                                  const Tensor& masks,
                                                  const std::vector<TextStart>& starts,
                                                  std::int64_t copies, std::int32_t end,
                                                  const OnToken& on_token = {});

}  // namespace kette
