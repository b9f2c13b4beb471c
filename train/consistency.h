// Consistency training: a model reads each batch twice, and loses also what its two readings disagree about.
//   R-Drop   two dropouts of the same batch (Wu et al. 2021, "R-Drop: Regularized Dropout for Neural Networks",
//            equations (1) to (3)):
//              CE(p) + CE(q) + weight / 2 (KL(p || q) + KL(q || p))
//   SimCut   the batch, and the same with the embeddings of some tokens of both sides set to zero (Gao et al. 2022,
//            "Bi-SimCut: A Simple Strategy for Boosting Neural Machine Translation", equation (6)):
//              CE(p) + weight KL(p || q)
// Gradients flow into both readings.
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
  double weight = 0;     ///< alpha; 0: the papers' for small data
  double cutoff = 0.05;  ///< SimCut: the share of tokens that one reading does not see
  std::int64_t source_tags =
      0;  ///< so many first tokens of a source are never cut, as they are no words

  /// The weight, where it is not set that of the papers.
  double alpha() const;
  /// What the loss of rows in two views is told; nothing without consistency training.
  std::optional<TwoViews> views() const;
  /// Throws an Error where both readings would be one and the same. dropout: the model's.
  void check(double dropout) const;
};

/// The sentences twice, the second time with holes if SimCut asks for them (the id kNoEntry): in words alone, as in
/// the authors' code, never in the mark that ends a source or begins a target, nor in a language's tag.
Batch in_two_views(const Batch& batch, const ConsistencyOptions& options, Random& random);

}  // namespace kette
