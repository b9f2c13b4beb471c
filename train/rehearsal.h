// What a training step takes, before there is one.
#pragma once

#include "data/corpora/batches.h"
#include "models/model.h"

namespace kette {

/// The seconds of a forward and a backward pass over a batch, which leave everything as it was.
double seconds_of_passes(const Model& model, ParamStore& parameters, const Batch& batch);

}  // namespace kette
