// Batches and optimizers in Python.
#pragma once

#include "data/corpora/batch.h"
#include "python/src/bindings.h"

namespace kette::python {

void bind_batches(nb::module_& m);

}  // namespace kette::python
