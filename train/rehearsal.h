// Measures the time of a training step before the first one.
#pragma once

#include "data/corpora/batches.h"
#include "models/model.h"

namespace kette {

/// The seconds of a forward and a backward pass over a batch. The run's state does not change.
double seconds_of_passes(const Model& model, ParamStore& parameters, const Batch& batch);

}  // namespace kette
