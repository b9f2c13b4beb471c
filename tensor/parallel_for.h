// A loop on all threads whose steps may throw.
#pragma once

#include <cstdint>

#include "tensor/parallel_error.h"

namespace kette {

/// Calls step(i) for i < count; a free thread takes `grain` of them at a time. Rethrows the first
/// error.
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
