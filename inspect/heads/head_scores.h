// Scores that describe what a head does, computed from its attention probabilities (Voita et al. 2019, "Analyzing
// Multi-Head Self-Attention", sections 4 and 5).
#pragma once

#include <limits>

#include "inspect/heads/attention_heads.h"

namespace kette {

/// Means over all queries of a corpus. A query looks at the key of the largest probability. NaN: the score does not
/// apply to this kind of attention, or the corpus has no case of it.
struct HeadScores {
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

  double entropy = kNone;     ///< of the probabilities, nats
  double confidence = kNone;  ///< the largest probability
  /// Self-attention: the shares of queries that look one word back, at themselves, and one word on (encoder only). The
  /// first word has no previous and the last no next one; they do not count there. A head is positional if previous or
  /// next is at least 0.9.
  double previous = kNone, same = kNone, next = kNone;
  /// The share that looks at the attention sink (Xiao et al. 2024): </s> of the source, or a decoder's first token.
  double sink = kNone;
  /// Attention to the source: the share that looks at the source word that is rarest in the corpus.
  double rarest = kNone;
  /// Cross-attention: the share that looks at the source word that most heads align the target word with. Read at the
  /// step that writes the word or the one that reads it, whichever agrees more.
  double alignment = kNone;
};

/// In the order of heads_of(attentions_of(model)).
std::vector<HeadScores> head_scores(const AutoregressiveModel& model,
                                    const std::vector<Batch>& batches);

}  // namespace kette
