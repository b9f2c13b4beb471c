// How much the loss depends on each head, from one backward pass: Michel et al. 2019, equation 3,
//   I_h = E_x | Att_h(x)^T dL(x) / dAtt_h(x) | = E_x | dL(x) / dgate_h |
// with L(x) the loss of a sentence, the sum over its tokens, and gate_h a factor of 1 on what the head gives.
#pragma once

#include "inspect/heads/attention_heads.h"

namespace kette {

struct HeadImportance {
  double mean = 0;  ///< I_h, nats a sentence
  double normalized =
      0;  ///< over the root of the sum of squares in its attention, as the paper prunes by
};

/// In the order of heads_of(attentions_of(model)). The mean over all sentences of the batches (windows, of a
/// text). model: with values; gradients of its parameters are not needed.
std::vector<HeadImportance> head_importance(const AutoregressiveModel& model,
                                            const std::vector<Batch>& batches);

}  // namespace kette
