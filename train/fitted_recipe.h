// Chooses size and recipe of a translation model by the amount of text and the time for training. The choices were
// measured on three corpora (docs/results/translation-quality.md).
#pragma once

#include <vector>

#include "data/corpora/parallel_corpus.h"
#include "train/recipes.h"

namespace kette {

struct TextAmount {
  std::int64_t pairs = 0;
  std::int64_t bytes = 0;  ///< of the larger side, as plain text

  /// The approximate number of pieces of the larger side.
  double tokens() const;
};
/// Throws an Error as text_size() does.
TextAmount amount_of(const std::vector<ParallelText>& texts);

/// The limits of a run; 0: no limit.
struct LearningTime {
  std::int64_t steps = 0, epochs = 0;
  double flops = 0;  ///< that matrix products alone could do in that time
};

struct FittedRecipe {
  TransformerConfig model;  ///< with the size of its vocabulary
  Recipe recipe;            ///< without steps
  std::int64_t epochs = 0;  ///< if there is no limit
};

FittedRecipe fitted_recipe(const TextAmount& text, const LearningTime& time);

}  // namespace kette
