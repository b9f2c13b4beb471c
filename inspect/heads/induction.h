// Heads that look at what followed last time, and the texts that they are known by: Olsson et al. 2022, "In-context
// Learning and Induction Heads", "Head Activation Evaluators".
#pragma once

#include <span>

#include "inspect/activations.h"
#include "inspect/heads/attention_heads.h"
#include "tensor/random.h"

namespace kette {

/// `count` texts of `segment` different tokens at random, `times` over: nothing in them is known before the
/// second time. Each is to be continued by one token.
Batch repeated_at_random(std::int64_t vocabulary, std::int64_t segment, std::int64_t times,
                         std::int64_t count, Random& random);

/// What a head looks at in one sequence: [tokens, tokens]. probabilities: of the point, [rows, heads, keys].
std::vector<float> attention_pattern(const Tensor& probabilities, std::int64_t head,
                                     const Segments& segments, std::int64_t sequence);

/// Of one head and one sequence: how much of its attention goes to the tokens that followed earlier
/// occurrences of the present one; the mean over all tokens that have occurred before. pattern: [tokens,
/// tokens].
double prefix_matching(std::span<const std::int32_t> tokens, std::span<const float> pattern);

/// The mean over a batch's sequences, of each head of a language model in the order of heads_of().
/// activations: of a pass over the batch, with the points */probabilities.
std::vector<double> prefix_matching(const std::vector<AttentionPart>& attentions,
                                    const Batch& batch, const Activations& activations);

/// The same on four times 25 random tokens, or fewer where the model sees fewer. Empty for a model with an encoder.
std::vector<double> induction_scores(const AutoregressiveModel& model);

}  // namespace kette
