// A loop on all threads whose steps may throw.
#pragma once

#include <cstdint>

#include "tensor/parallel_error.h"

namespace kette {

/// Calls step(i) for 0 .. count, `grain` of them at a time on whichever thread is free. What the first that fails throws
/// comes out here.
template <class Step>
void parallel_for(std::int64_t count, std::int64_t grain, const Step& step) {
  ParallelError error;
#pragma omp parallel for schedule(dynamic, grain) if (count > grain)
  for (std::int64_t i = 0; i < count; ++i) {
    error.guard([&] { step(i); });
  }
  error.rethrow();
}

}  // namespace kette
