// Converts a model to the other layout of sinusoids. The axis of the residual stream may be
// permuted: in the rows of weights that write to it, the columns of weights that read it, and the
// gains and biases of norms. All sums and products stay the same, in other places. So positions can
// be laid out as another program expects.
#pragma once

#include <memory>

#include "models/transformer.h"

namespace kette {

/// model: interleaved sinusoids, values in f32 on the CPU. Returns a model with concatenated ones
/// and the same logits, up to rounding, as sums have another order.
std::unique_ptr<Transformer> with_concatenated_sinusoids(const Transformer& model);

}  // namespace kette
