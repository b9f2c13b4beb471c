// How many heads a translator needs, for `kette lab heads`. Heads are masked one by one and in several orders (Michel
// et al. 2019, "Are Sixteen Heads Really Better than One?"), or closed by learned gates (Voita et al. 2019, "Analyzing
// Multi-Head Self-Attention").
#pragma once

#include <array>
#include <optional>

#include "inspect/heads/head_ablation.h"
#include "inspect/heads/head_importance.h"
#include "inspect/heads/head_scores.h"
#include "inspect/lab/experiment.h"

namespace kette {

inline constexpr std::array kAttentionKinds = {AttentionKind::encoder, AttentionKind::decoder,
                                               AttentionKind::cross};
/// A number for each kind of attention.
using OfKinds = std::array<std::int64_t, kAttentionKinds.size()>;

/// BLEU with the first heads of an order masked.
struct PruningCurve {
  static constexpr std::array kShares = {0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};
  std::vector<double> bleu;  ///< by masked share

  /// The loss of BLEU. share: one of kShares.
  double loss_at(double share) const;
};

/// Masks more and more of these heads.
PruningCurve pruning_curve(const HeadAblation& ablation,
                           const std::vector<AttentionPart>& attentions,
                           const std::vector<Head>& order);

/// The result of training with gates.
struct GatedResult {
  double penalty = 0, bleu = 0;
  std::vector<bool> is_open;  ///< in the order of heads_of()
  OfKinds open{};

  std::int64_t left() const { return open[0] + open[1] + open[2]; }
};

struct PruningStudy {
  std::vector<AttentionPart> attentions;
  std::vector<Head> heads;
  OfKinds counts{};  ///< of all heads
  double whole = 0;  ///< BLEU with all of them
  // By head:
  std::vector<HeadImportance> importance;
  std::vector<HeadScores> scores;
  std::vector<MaskedResult> without;

  PruningCurve by_importance;
  PruningCurve by_normalized;  ///< by HeadImportance::normalized, as in the paper
  std::vector<PruningCurve> at_random;
  /// Masks heads of one kind only, the least important first.
  std::array<PruningCurve, kAttentionKinds.size()> of_kinds;
  /// By penalty.
  std::vector<GatedResult> gates_on_encoder, gates_on_all;

  AttentionKind kind(std::size_t head) const { return attentions[heads[head].attention].kind; }
  PruningCurve mean_at_random() const;
  /// The result with the fewest heads that loses at most half a point of BLEU.
  std::optional<GatedResult> cheapest(const std::vector<GatedResult>& results) const;
};

PruningStudy study_pruning(const ExperimentOptions& options, const ExperimentProgress& progress);

}  // namespace kette
