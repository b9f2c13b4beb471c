// Attention whose keys are each mixed with the one before it in their sequence (autograd/ops/smear.h), before they are
// turned. A cache also keeps each key as it was, which the next position needs.
#pragma once

#include "nn/mixer.h"

namespace kette {

/// Registers "smear", [heads]: sigmoid(smear) of a head is how much of each key is its own.
std::shared_ptr<const Mixer> smeared_keys_mixer(const Scope& scope, const HeadShape& heads);

}  // namespace kette
