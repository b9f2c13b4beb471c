// How much the loss depends on each head, from one backward pass (Michel et al. 2019, equation 3):
//   I_h = E_x | Att_h(x)^T dL(x) / dAtt_h(x) | = E_x | dL(x) / dgate_h |
// L(x) is the loss of a sentence, summed over its tokens; gate_h = 1 multiplies the head's output.
#pragma once

#include "inspect/heads/attention_heads.h"

namespace kette {

struct HeadImportance {
  double mean = 0;  ///< I_h, nats per sentence
  double normalized =
      0;  ///< mean / the L2 norm over the heads of its attention, which the paper prunes by
};

/// In the order of heads_of(attentions_of(model)). The mean over all sentences (or windows) of the batches. The
/// model's parameters may be frozen.
std::vector<HeadImportance> head_importance(const AutoregressiveModel& model,
                                            const std::vector<Batch>& batches);

}  // namespace kette
