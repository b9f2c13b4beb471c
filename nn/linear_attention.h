// Linear attention (autograd/ops/linear_attention.h) as what mixes the rows of a block. A cache keeps no keys but what
// the attention knows after a position: a state.
#pragma once

#include "nn/mixer.h"

namespace kette {

/// Its pattern is to be one of linear weights. Without parameters.
std::shared_ptr<const Mixer> linear_attention_mixer(const Scope& scope, const HeadShape& heads);

}  // namespace kette
