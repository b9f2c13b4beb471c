// The same model with its sinusoids in the other layout. The residual stream of a Transformer has no
// preferred order: when its axis is permuted wherever a parameter has it, as rows of what writes to
// the stream, as columns of what reads it, and in gains and biases of norms, every sum and product
// is the same one in another place. So the positions can be made to lie as another program has them.
#pragma once

#include <memory>

#include "models/transformer.h"

namespace kette {

/// A model with interleaved sinusoids, its values in f32 on the CPU, becomes one with concatenated
/// ones that gives the same logits (up to the rounding of sums taken in another order).
std::unique_ptr<Transformer> with_concatenated_sinusoids(const Transformer& model);

}  // namespace kette
