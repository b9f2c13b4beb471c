// Activation recompute (Chen et al. 2016, "Training Deep Nets with Sublinear Memory Cost"): the
// function runs once without a tape, only its inputs are kept, and backward runs it again for the
// activations. This saves the memory of the activations for one more forward pass. The function
// must be deterministic, so capture dropout keys by value. For library users only: the models
// number their dropouts as they run, so no command uses it.
#pragma once

#include <functional>
#include <vector>

#include "autograd/variable.h"

namespace kette {

/// function(inputs), recomputed in backward. Parameters used inside get their gradients as usual.
/// Any other value of the tape that it uses must be an input, else backward throws an Error.
Variable checkpoint(std::function<Variable(const std::vector<Variable>&)> function,
                    const std::vector<Variable>& inputs);

}  // namespace kette
