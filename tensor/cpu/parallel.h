// How CPU kernels share work: a loop over fixed blocks. Block boundaries depend on the problem
// alone, never on the number of threads, so that sums come out the same on any machine.
#pragma once

#include <algorithm>
#include <cstdint>

namespace kette::cpu {

/// How many blocks of `size` cover `count`, and how many elements these have.
constexpr std::int64_t ceil_div(std::int64_t count, std::int64_t size) {
  return (count + size - 1) / size;
}
constexpr std::int64_t round_up(std::int64_t count, std::int64_t size) {
  return ceil_div(count, size) * size;
}

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
