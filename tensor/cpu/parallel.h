// How CPU kernels share work: a loop over fixed blocks. Block boundaries depend only on the
// problem, not on the number of threads, so that sums are the same on any machine.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdint>

#include "tensor/ceil_div.h"
#include "tensor/parallel_error.h"

namespace kette::cpu {

using kette::ceil_div, kette::round_up;

/// Below this many scalar operations a loop runs on one thread.
inline constexpr std::int64_t kParallelWork = std::int64_t{1} << 15;

/// Calls function(begin, end) for the blocks of `grain` that cover 0 .. count, on all threads if
/// count * cost_each is large enough. Rethrows the first error.
template <class Function>
void parallel_blocks(std::int64_t count, std::int64_t grain, std::int64_t cost_each,
                     Function&& function) {
  const std::int64_t blocks = ceil_div(count, grain);
  // A region of one thread is not free: libgomp wakes others that are not there, by a system call.
  if (blocks <= 1 || count * cost_each < kParallelWork || omp_get_max_threads() == 1) {
    for (std::int64_t block = 0; block < blocks; ++block) {
      function(block * grain, std::min(count, (block + 1) * grain));
    }
    return;
  }
  ParallelError error;
#pragma omp parallel for schedule(static)
  for (std::int64_t block = 0; block < blocks; ++block) {
    error.guard([&] { function(block * grain, std::min(count, (block + 1) * grain)); });
  }
  error.rethrow();
}

}  // namespace kette::cpu
