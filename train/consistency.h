// Consistency training: two forward passes over each batch. Their divergence is added to the loss.
//   R-Drop   two dropout masks (Wu et al. 2021, "R-Drop: Regularized Dropout for Neural Networks", equations 1 to 3):
//              CE(p) + CE(q) + weight / 2 (KL(p || q) + KL(q || p))
//   SimCut   in the second pass the embeddings of some tokens of both sides are zero (Gao et al. 2022, "Bi-SimCut: A
//            Simple Strategy for Boosting Neural Machine Translation", equation (6)):
//              CE(p) + weight KL(p || q)
// Gradients flow into both passes.
#pragma once

#include <optional>

#include "data/corpora/batches.h"
#include "tensor/enum_names.h"
#include "tensor/linear_cross_entropy.h"
#include "tensor/random.h"

namespace kette {

enum class ConsistencyKind : std::uint8_t { none, r_drop, simcut };
template <>
inline constexpr auto kNamesOf<ConsistencyKind> =
    enum_names<ConsistencyKind>({{ConsistencyKind::none, "none"},
                                 {ConsistencyKind::r_drop, "r_drop"},
                                 {ConsistencyKind::simcut, "simcut"}});

struct ConsistencyOptions {
  ConsistencyKind kind = ConsistencyKind::none;
  double weight = 0;             ///< alpha; 0: the papers' value for small data
  double cutoff = 0.05;          ///< SimCut: the share of tokens that the second pass does not see
  std::int64_t source_tags = 0;  ///< the number of language tags that begin a source; never cut

  /// The weight, or the papers' value if it is 0.
  double alpha() const;
  /// The argument of the loss of two views; nothing without consistency training.
  std::optional<TwoViews> views() const;
  /// Throws an Error if both passes would be the same. dropout: the model's.
  void check(double dropout) const;
};

/// The batch, followed by its second view. SimCut replaces some tokens there by kNoEntry: only words, as in the
/// authors' code, not </s> of a source, <s> of a target or a language tag.
Batch in_two_views(const Batch& batch, const ConsistencyOptions& options, Random& random);

}  // namespace kette
