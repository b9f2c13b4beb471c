// How CPU kernels share work: a loop over fixed blocks. Block boundaries depend on the problem
// alone, never on the number of threads, so that sums come out the same on any machine.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tensor/ceil_div.h"

namespace kette::cpu {

using kette::ceil_div, kette::round_up;

/// Below this many scalar operations a loop is not worth waking the other threads.
inline constexpr std::int64_t kParallelWork = std::int64_t{1} << 15;

/// Calls function(begin, end) for the blocks of `grain` that cover 0 .. count, on all threads when
/// count * cost_each is worth it.
template <class Function>
void parallel_blocks(std::int64_t count, std::int64_t grain, std::int64_t cost_each,
                     Function&& function) {
  const std::int64_t blocks = ceil_div(count, grain);
#pragma omp parallel for schedule(static) if (blocks > 1 && count * cost_each >= kParallelWork)
  for (std::int64_t block = 0; block < blocks; ++block) {
    function(block * grain, std::min(count, (block + 1) * grain));
  }
}

}  // namespace kette::cpu
