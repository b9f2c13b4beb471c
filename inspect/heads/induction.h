// Induction heads look at the token that followed the last occurrence of the current one. Texts and scores to find them
// (Olsson et al. 2022, "In-context Learning and Induction Heads", "Head Activation Evaluators").
#pragma once

#include <span>

#include "inspect/activations.h"
#include "inspect/heads/attention_heads.h"
#include "tensor/random.h"

namespace kette {

/// `count` texts of `segment` different random tokens, repeated `times` times. Nothing in the first repetition can be
/// predicted. The target of the last token is the first one again.
Batch repeated_at_random(std::int64_t vocabulary, std::int64_t segment, std::int64_t times,
                         std::int64_t count, Random& random);

/// The attention map of a head in one sequence: [tokens, tokens]. probabilities: [rows, heads, keys].
std::vector<float> attention_pattern(const Tensor& probabilities, std::int64_t head,
                                     const Segments& segments, std::int64_t sequence);

/// The prefix matching score of one head in one sequence: the attention to the tokens that followed earlier
/// occurrences of the current token, mean over all tokens that have occurred before. pattern: [tokens, tokens].
double prefix_matching(std::span<const std::int32_t> tokens, std::span<const float> pattern);

/// The mean over a batch's sequences for each head of a language model, in the order of heads_of().
/// activations: the points */probabilities of a pass over the batch.
std::vector<double> prefix_matching(const std::vector<AttentionPart>& attentions,
                                    const Batch& batch, const Activations& activations);

/// The same on four repetitions of 25 random tokens, or of fewer if the model's context is shorter. Empty for a model
/// with an encoder.
std::vector<double> induction_scores(const AutoregressiveModel& model);

}  // namespace kette
