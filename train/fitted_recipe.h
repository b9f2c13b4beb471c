// Size and recipe of a translation model for people's own text: chosen by how much text there is and how long the
// model may learn from it. What it goes by was measured on three corpora (docs/results/translation-quality.md).
#pragma once

#include <vector>

#include "data/corpora/parallel_corpus.h"
#include "train/recipes.h"

namespace kette {

struct TextAmount {
  std::int64_t pairs = 0;
  std::int64_t bytes = 0;  ///< of the larger side, as plain text

  /// Pieces of that side, about.
  double tokens() const;
};
/// Throws as text_size() does.
TextAmount amount_of(const std::vector<ParallelText>& texts);

/// How long a run may take; 0: no such limit.
struct LearningTime {
  std::int64_t steps = 0, epochs = 0;
  double flops = 0;  ///< that products of matrices alone could make of it
};

struct FittedRecipe {
  TransformerConfig model;  ///< with the size of its vocabulary
  Recipe recipe;            ///< without steps
  std::int64_t epochs = 0;  ///< where there is no limit at all
};

FittedRecipe fitted_recipe(const TextAmount& text, const LearningTime& time);

}  // namespace kette
