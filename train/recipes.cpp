#include "train/recipes.h"

namespace kette {
namespace {

/// nanoGPT's, but for beta2.
constexpr OptimizerOptions nano_gpt_optimizer(double beta2) {
  return {.beta2 = beta2, .epsilon = 1e-8, .weight_decay = 0.1};
}

/// A tenth of the run is enough to warm up, whatever the authors' runs had for it.
constexpr ScheduleOptions kept_short(ScheduleOptions schedule) {
  schedule.warmup_share = 0.1;
  return schedule;
}

constexpr NamedRecipe kRecipes[] = {
    // Wu et al. 2021, for small data.
    {"tiny",
     {.schedule = kept_short({.kind = ScheduleKind::inverse_sqrt, .lr = 5e-3, .warmup = 2000}),
      .optimizer = {.epsilon = 1e-8},
      .label_smoothing = 0.1,
      .steps = 20000}},
    // For a few thousand trees (docs/results/parsing.md).
    {"parse",
     {.schedule = kept_short({.kind = ScheduleKind::cosine, .lr = 3e-3, .warmup = 300}),
      .optimizer = {.epsilon = 1e-8},
      .clip_norm = 1,
      .label_smoothing = 0.1,
      .batch_tokens = 2048,
      .steps = 6000}},
    // Vaswani et al. 2017, section 5.
    {"base",
     {.schedule = kept_short({.kind = ScheduleKind::noam, .lr = 1, .warmup = 4000}),
      .label_smoothing = 0.1,
      .steps = 100000}},
    {"big",
     {.schedule = kept_short({.kind = ScheduleKind::noam, .lr = 1, .warmup = 4000}),
      .label_smoothing = 0.1,
      .steps = 300000}},
    // nanoGPT's two set-ups for Tiny Shakespeare, but for the peak of char-cpu's learning rate,
    // which is 1e-3 there and takes 2,000 steps no further than a loss of 1.89.
    {"char-cpu",
     {.schedule = kept_short({.kind = ScheduleKind::cosine, .lr = 3e-3, .warmup = 100}),
      .optimizer = nano_gpt_optimizer(0.99),
      .clip_norm = 1,
      .batch_tokens = 12 * 64,
      .validate_every = 250,
      .steps = 2000}},
    {"char",
     {.schedule = kept_short({.kind = ScheduleKind::cosine, .lr = 1e-3, .warmup = 100}),
      .optimizer = nano_gpt_optimizer(0.99),
      .clip_norm = 1,
      .batch_tokens = 64 * 256,
      .validate_every = 250,
      .steps = 5000}},
    // For texts of some megabytes, on a laptop.
    {"bert-tiny",
     {.schedule = kept_short({.kind = ScheduleKind::cosine, .lr = 2e-3, .warmup = 200}),
      .optimizer = {.beta2 = 0.98, .epsilon = 1e-6, .weight_decay = 0.01},
      .clip_norm = 1,
      .batch_tokens = 32 * 128,
      .validate_every = 500,
      .steps = 5000}},
    {"bert-small",
     {.schedule = kept_short({.kind = ScheduleKind::cosine, .lr = 1e-3, .warmup = 500}),
      .optimizer = {.beta2 = 0.98, .epsilon = 1e-6, .weight_decay = 0.01},
      .clip_norm = 1,
      .batch_tokens = 64 * 128,
      .validate_every = 1000,
      .steps = 20000}},
    // Devlin et al. 2019, appendix A.2: a million steps of 256 sequences.
    {"bert-base",
     {.schedule = kept_short({.kind = ScheduleKind::linear, .lr = 1e-4, .warmup = 10000}),
      .optimizer = {.beta2 = 0.999, .epsilon = 1e-6, .weight_decay = 0.01},
      .clip_norm = 1,
      .batch_tokens = 32 * 512,
      .accumulate = 8,
      .validate_every = 1000,
      .steps = 1000000}},
    // nanoGPT's for OpenWebText: half a million tokens a step.
    {"gpt2",
     {.schedule = kept_short({.kind = ScheduleKind::cosine, .lr = 6e-4, .warmup = 2000}),
      .optimizer = nano_gpt_optimizer(0.95),
      .clip_norm = 1,
      .batch_tokens = 12 * 1024,
      .accumulate = 40,
      .validate_every = 1000,
      .steps = 600000}}};

}  // namespace

void Recipe::apply_to(TrainOptions& options) const {
  options.schedule = schedule;
  options.optimizer = optimizer;
  options.clip_norm = clip_norm;
  options.label_smoothing = label_smoothing;
  options.batch_tokens = batch_tokens;
  options.accumulate = accumulate;
  options.validate_every = validate_every;
}

std::span<const NamedRecipe> known_recipes() { return kRecipes; }

const Recipe& recipe_of(const std::string& preset) {
  std::string known;
  if (preset == "bert-large") return recipe_of("bert-base");
  for (const auto& [name, recipe] : kRecipes) {
    if (preset == name) return recipe;
    known += std::string(name) + ", ";
  }
  KETTE_CHECK(preset.starts_with("gpt2-"), "recipe: expected one of ", known, "gpt2-..., given ",
              preset);
  return std::end(kRecipes)[-1].recipe;
}

}  // namespace kette
