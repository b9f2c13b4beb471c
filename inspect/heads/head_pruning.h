// Heads taken out of a model for good: Michel et al. 2019, section 4. What is left computes what the whole model
// would with the gates of those heads at 0 (inspect/heads/head_gates.h), with fewer parameters and less work.
#pragma once

#include "inspect/heads/head_importance.h"

namespace kette {

/// All heads, the least important first. importance: in the order of heads_of(attentions). The paper orders by
/// HeadImportance::normalized, which takes as many heads from an attention that matters as from one that does
/// not: up to 40 % of the heads that cost more BLEU in both models of docs/results/inside-models.md.
std::vector<Head> by_importance(const std::vector<AttentionPart>& attentions,
                                const std::vector<HeadImportance>& importance,
                                double HeadImportance::*measure = &HeadImportance::mean);

/// The `count` heads to go first, by HeadImportance::mean. One head of each attention stays; an Error if that
/// leaves fewer.
std::vector<Head> least_important(const std::vector<AttentionPart>& attentions,
                                  const std::vector<HeadImportance>& importance,
                                  std::int64_t count);

/// A copy without those heads, frozen. Its configuration's heads_left says how many each attention has.
std::unique_ptr<AutoregressiveModel> without_heads(const AutoregressiveModel& model,
                                                   const std::vector<Head>& removed);

}  // namespace kette
