// Linear attention (autograd/ops/linear_attention.h) as a mixer. Instead of keys and values a cache
// stores a state: a sum over all past positions.
#pragma once

#include "nn/mixer.h"

namespace kette {

/// For an AttentionPattern with linear weights. Has no parameters.
std::shared_ptr<const Mixer> linear_attention_mixer(const Scope& scope, const HeadShape& heads);

}  // namespace kette
