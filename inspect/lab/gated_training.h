// Fine-tunes a translator with gates on its heads and a penalty for open gates (Voita et al. 2019, "Analyzing
// Multi-Head Self-Attention", section 6).
#pragma once

#include <functional>
#include <memory>

#include "data/corpora/parallel_corpus.h"
#include "inspect/lab/concrete_gates.h"

namespace kette {

/// A copy of the model that can be trained.
std::unique_ptr<AutoregressiveModel> trainable_copy(const AutoregressiveModel& model);

struct GatedTraining {
  double penalty = 0;  ///< per expected open head, in the loss's unit, nats per token
  std::int64_t steps = 600, batch_tokens = 1024;
  double lr = 5e-4;  ///< falls to a tenth by half a cosine
  double gate_lr = 0.05;
};

/// Trains the model with gates on the heads of these attentions. Returns the gates.
ConcreteGates train_gated(AutoregressiveModel& model, std::vector<AttentionPart> attentions,
                          const ParallelCorpus& text, const GatedTraining& options,
                          std::uint64_t seed, const std::function<void(double share)>& progress);

}  // namespace kette
