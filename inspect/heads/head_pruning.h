// Removes heads from a model (Michel et al. 2019, section 4). The smaller model computes the same as the whole one with
// the gates of these heads at 0 (inspect/heads/head_gates.h).
#pragma once

#include "inspect/heads/head_importance.h"

namespace kette {

/// All heads, the least important first. importance: in the order of heads_of(attentions). The paper orders by
/// HeadImportance::normalized, which prunes important and unimportant attentions alike. Up to 40 % of the heads, that
/// order lost more BLEU in both models of docs/results/inside-models.md.
std::vector<Head> by_importance(const std::vector<AttentionPart>& attentions,
                                const std::vector<HeadImportance>& importance,
                                double HeadImportance::*measure = &HeadImportance::mean);

/// The `count` least important heads by HeadImportance::mean. One head of each attention always stays. Throws an
/// Error if fewer can be removed.
std::vector<Head> least_important(const std::vector<AttentionPart>& attentions,
                                  const std::vector<HeadImportance>& importance,
                                  std::int64_t count);

/// A frozen copy without these heads. heads_left of its configuration has the number of heads of each attention.
std::unique_ptr<AutoregressiveModel> without_heads(const AutoregressiveModel& model,
                                                   const std::vector<Head>& removed);

}  // namespace kette
