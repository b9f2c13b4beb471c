// Column sums by one block: a warp's lanes take neighbouring columns, and each of the kRowLanes
// warps takes every kRowLanes-th row. Without atomics, so the order of additions never changes.
#pragma once

#include "tensor/cuda/launch.h"

namespace kette::cuda {

inline constexpr int kRowLanes = 16;

/// The threads of a block for column_sum(): kWarp columns.
inline dim3 column_sum_threads() { return dim3(kWarp, kRowLanes); }

/// The sum of x[row * ld + column] over rows [begin, end), for the threads with threadIdx.y = 0. A
/// thread whose column is not `inside` reads nothing.
template <class T, class C = Compute<T>>
__device__ C column_sum(const T* x, std::int64_t begin, std::int64_t end, std::int64_t ld,
                        std::int64_t column, bool inside) {
  __shared__ C parts[kRowLanes][kWarp];
  C sum = 0;
  if (inside) {
    for (std::int64_t row = begin + threadIdx.y; row < end; row += kRowLanes) {
      sum += C(x[row * ld + column]);
    }
  }
  parts[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  for (int lane = 1; threadIdx.y == 0 && lane < kRowLanes; ++lane) {
    sum += parts[lane][threadIdx.x];
  }
  return sum;
}

}  // namespace kette::cuda
