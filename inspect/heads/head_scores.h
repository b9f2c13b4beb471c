// What a head does, in numbers read off where it looks: Voita et al. 2019, "Analyzing Multi-Head Self-Attention",
// sections 4 and 5, and Elhage et al. 2021 for copying.
#pragma once

#include <limits>

#include "inspect/heads/attention_heads.h"

namespace kette {

/// Means over all queries of a corpus. "Looks at" is where the probability is largest. NaN: a number that makes no sense
/// for the kind of attention, or of which the corpus has no case.
struct HeadScores {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

  double entropy = kNone;     ///< of its probabilities, nats
  double confidence = kNone;  ///< its largest probability
  /// Shares of the queries that look one word back, at themselves, and one word on. A head is positional
  /// where -1 or +1 is at least 0.9 (self-attention, +1 of an encoder's alone; the first or last word of a sentence,
  /// which has none, does not count).
  double previous = kNone, same = kNone, next = kNone;
  /// At where heads look that look for nothing, an attention sink (Xiao et al. 2024): </s> of the source, and
  /// the first token within a decoder.
  double sink = kNone;
  double rarest =
      kNone;  ///< at the word of the source that is rarest in the corpus; of an attention to the source
  /// Of cross-attention: at the word that most heads align the target word with, by the better of the step that
  /// writes the word and the one that reads it.
  double alignment = kNone;
};

/// In the order of heads_of(attentions_of(model)).
std::vector<HeadScores> head_scores(const AutoregressiveModel& model,
                                    const std::vector<Batch>& batches);

}  // namespace kette
