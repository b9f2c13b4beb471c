// Shared by all CUDA kernels: launching, the stream, reductions within a warp and a block. Kernels
// are launched through launch() and use no language extensions but the qualifiers, threadIdx and
// the like, so that tests/cuda_emulator can run them without a GPU.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <limits>

#include "tensor/backend.h"
#include "tensor/ceil_div.h"
#include "tensor/kernels.h"

/// Put before a loop whose counter must be a constant in its body, to keep arrays in registers.
#ifdef __CUDACC__
#define KETTE_UNROLL _Pragma("unroll")
#else
#define KETTE_UNROLL
#endif

namespace kette::cuda {

/// Unless it succeeded, throws an Error with what was tried and the driver's answer.
void check(cudaError_t status, const char* what);
/// The stream for all work of a device, in order. Makes the device the current one.
cudaStream_t stream(CudaExec exec);
int multiprocessors(CudaExec exec);
/// Whether kernels may start early (Grid::starts_early): from compute capability 9.0 on, if
/// compiled for it.
bool starts_early(CudaExec exec);

using kette::ceil_div, kette::round_up;

inline constexpr int kWarp = 32, kThreads = 256;

struct Grid {
  dim3 blocks, threads;
  std::size_t shared_bytes = 0;
  /// The kernel may start before the previous one has ended ("programmatic dependent launch"),
  /// which hides the launch latency. All its threads must call await_earlier_kernels() first;
  /// before it they may only read data that no kernel writes, such as weights.
  bool starts_early = false;
};

/// One thread for each of `count` elements; the kernel checks its index() against the count.
inline Grid one_thread_each(std::int64_t count) {
  return {dim3(static_cast<unsigned>(ceil_div(count, kThreads))), dim3(kThreads)};
}

/// Throws an Error for more blocks than any GPU takes.
inline void check_limits(const dim3& blocks) {
  constexpr unsigned kMostX = 0x7fffffff, kMost = 0xffff;
  KETTE_CHECK(blocks.x <= kMostX && blocks.y <= kMost && blocks.z <= kMost,
              "cuda: expected a grid of at most ", kMostX, " x ", kMost, " x ", kMost,
              " blocks, given ", blocks.x, " x ", blocks.y, " x ", blocks.z,
              " (fewer rows, heads or matrices at once need fewer)");
}

/// Queues a kernel; does nothing for a grid without blocks.
template <class... Parameters, class... Arguments>
void launch(CudaExec exec, void (*kernel)(Parameters...), const Grid& grid,
            const Arguments&... arguments) {
  if (grid.blocks.x == 0 || grid.blocks.y == 0 || grid.blocks.z == 0) return;
  check_limits(grid.blocks);
  const cudaStream_t queue = stream(exec);
#ifdef __CUDACC__
  constexpr std::size_t kAlwaysThere = 48 << 10;
  if (grid.shared_bytes > kAlwaysThere) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(grid.shared_bytes)),
          "shared memory of a kernel");
  }
  cudaLaunchConfig_t config = {};
  config.gridDim = grid.blocks;
  config.blockDim = grid.threads;
  config.dynamicSmemBytes = grid.shared_bytes;
  config.stream = queue;
  cudaLaunchAttribute early = {};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  config.attrs = &early;
  config.numAttrs = grid.starts_early && starts_early(exec) ? 1 : 0;
  check(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...), "launching a kernel");
#else
  emulator::launch(queue, reinterpret_cast<const void*>(kernel), grid.blocks, grid.threads,
                   grid.shared_bytes,
                   [kernel, early = grid.starts_early, ... given = Parameters(arguments)] {
                     kernel(given...);
                     if (early) emulator::check_has_awaited();
                   });
#endif
}

/// The block's shared memory of grid.shared_bytes.
template <class T>
__device__ T* shared_memory() {
#ifdef __CUDACC__
  extern __shared__ __align__(16) unsigned char memory[];
  return reinterpret_cast<T*>(memory);
#else
  return static_cast<T*>(emulator::shared_memory());
#endif
}

/// For kernels with Grid::starts_early. Lets the next kernel start once all blocks of this one have
/// called this, and waits until the previous kernel has ended and its writes are visible.
__device__ inline void await_earlier_kernels() {
#ifndef __CUDACC__
  emulator::await_earlier_kernels();
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
#endif
}

/// The thread's index in a one-dimensional grid.
__device__ inline std::int64_t index() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

// Every thread of the warp, or of the block, gets the result; the order of additions is fixed.

template <class C>
__device__ C warp_sum(C value) {
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    value += __shfl_xor_sync(0xffffffffu, value, distance);
  }
  return value;
}

template <class C>
__device__ C warp_max(C value) {
  for (int distance = kWarp / 2; distance > 0; distance /= 2) {
    const C other = __shfl_xor_sync(0xffffffffu, value, distance);
    value = other > value ? other : value;
  }
  return value;
}

/// For one-dimensional blocks of whole warps. `reduce` is warp_sum or warp_max, `nothing` its
/// neutral element.
template <class C, class Reduce>
__device__ C block_reduce(C value, C nothing, const Reduce& reduce) {
  __shared__ C parts[kWarp];
  const unsigned warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
  value = reduce(value);
  if (lane == 0) parts[warp] = value;
  __syncthreads();
  value = reduce(lane < blockDim.x / kWarp ? parts[lane] : nothing);
  __syncthreads();
  return value;
}

template <class C>
__device__ C block_sum(C value) {
  return block_reduce(value, C(0), [](C part) { return warp_sum(part); });
}

template <class C>
__device__ C block_max(C value) {
  return block_reduce(value, -std::numeric_limits<C>::infinity(),
                      [](C part) { return warp_max(part); });
}

}  // namespace kette::cuda
