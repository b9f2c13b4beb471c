// Attention in which each key is mixed with the previous key of its sequence
// (autograd/ops/smear.h), before rotation. A cache also stores the unmixed key, which the next
// position needs.
#pragma once

#include "nn/mixer.h"

namespace kette {

/// Registers the parameter "smear", [heads]. sigmoid(smear) is the weight of a key itself in the
/// mix.
std::shared_ptr<const Mixer> smeared_keys_mixer(const Scope& scope, const HeadShape& heads);

}  // namespace kette
