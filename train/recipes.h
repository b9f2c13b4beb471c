// The training recipes of the presets, as their authors used them.
#pragma once

#include <span>
#include <string>

#include "train/trainer.h"

namespace kette {

struct Recipe {
  ScheduleOptions schedule = {};
  OptimizerOptions optimizer = {};
  double clip_norm = 0;  ///< 0: off
  double label_smoothing = 0;
  std::int64_t batch_tokens = 4096, accumulate = 1;
  std::int64_t validate_every = 0;  ///< steps; 0: once an epoch
  std::int64_t steps = 0;           ///< if no other limit is set

  /// Sets everything except the steps.
  void apply_to(TrainOptions& options) const;
};

struct NamedRecipe {
  const char* preset;
  Recipe recipe;
};

/// From the smallest preset to the largest. Larger GPT presets use the last recipe.
std::span<const NamedRecipe> known_recipes();
/// The recipe of a preset of models/transformer_config.h, gpt_config.h or bert_config.h.
const Recipe& recipe_of(const std::string& preset);

}  // namespace kette
