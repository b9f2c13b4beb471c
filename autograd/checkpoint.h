// Activation recompute (Chen et al. 2016, "Training Deep Nets with Sublinear Memory Cost"): the
// function runs once without a tape, only its inputs are kept, and backward runs it again to get
// the activations. Trades one more forward pass for the memory of everything in between. The
// function must be deterministic: take its dropout keys by value. For library users: the models
// number their dropouts as they go, so no command uses it.
#pragma once

#include <functional>
#include <vector>

#include "autograd/variable.h"

namespace kette {

/// function(inputs), recomputed in backward. Parameters used inside get their gradients as usual. Any other value
/// of the tape that it uses must be among the inputs, else backward is an Error.
Variable checkpoint(std::function<Variable(const std::vector<Variable>&)> function,
                    const std::vector<Variable>& inputs);

}  // namespace kette
