// How the presets are trained: optimisation as their authors did it.
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
  std::int64_t steps = 0;           ///< where nothing else says how long

  /// Sets all but the steps.
  void apply_to(TrainOptions& options) const;
};

struct NamedRecipe {
  const char* preset;
  Recipe recipe;
};

/// From the smallest to the largest; the last is that of all larger presets of GPT, too.
std::span<const NamedRecipe> known_recipes();
/// Of a preset of models/transformer_config.h, gpt_config.h or bert_config.h.
const Recipe& recipe_of(const std::string& preset);

}  // namespace kette
