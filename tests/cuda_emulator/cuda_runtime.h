// Stands in for the CUDA runtime where there is no GPU: the kernels of tensor/cuda, compiled as
// plain C++, run one block after the other on the CPU, each thread of a block as a fiber that gives
// way at barriers and shuffles. Which one goes on is left to chance (chance.h), as is when the work
// of a stream is done (streams.cpp), so that a missing barrier or wait shows. It proves indices,
// barriers and sums, not speed, and not the absence of races: fibers never run at the same time.
// Device memory is host memory, so the address sanitizer sees every access.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>

#define KETTE_CUDA_EMULATOR 1
#define __global__
#define __device__
#define __host__
#define __shared__ static
#define __noinline__
#define __launch_bounds__(...)

struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};
struct uint3 {
  unsigned x, y, z;
};
struct alignas(16) float4 {
  float x, y, z, w;
};

extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;

namespace emulator {

struct Stream;
struct Event;
struct Graph;

/// Goes on with something as far as it can. Whether it is done.
using Progress = std::function<bool()>;

/// Queues work on a stream.
void enqueue(Stream* stream, std::function<void()> work);
/// Queues messages from and to other processes.
void enqueue_messages(Stream* stream, Progress messages);
/// Whether the environment variable KETTE_EMULATOR_FAULT names this fault, for tests that must notice it: "unordered",
/// messages do not wait for the work before them; "no kernels", none were compiled for this GPU; those of nccl.cpp.
bool is_planted(const char* fault);
/// Queues a kernel, which is counted under the name of `function`.
void launch(Stream* stream, const void* function, dim3 blocks, dim3 threads,
            std::size_t shared_bytes, std::function<void()> kernel);
/// Counts a kernel that is not of this project.
void count_launch(const char* name);
void* shared_memory();
/// What a thread of a kernel that starts early does, and in the end must have done.
void await_earlier_kernels();
void check_has_awaited();
void block_barrier();
void warp_barrier();
/// Number of the thread within its warp.
unsigned lane();
/// What `lane` of this warp hands in; collective.
std::uint64_t exchange(std::uint64_t bits, unsigned lane);
unsigned ballot(bool vote);
/// What all lanes of this warp hand in, until the next warp_barrier(); collective.
const std::uint64_t* gather(std::uint64_t bits);
/// Calls function(of_lane), where of_lane(i) is lane i's `mine`; collective.
template <class T, class Function>
void meet(const T& mine, const Function& function) {
  const std::uint64_t* all = gather(reinterpret_cast<std::uintptr_t>(&mine));
  function([&](unsigned lane) -> const T& { return *reinterpret_cast<const T*>(all[lane]); });
  warp_barrier();
}

// Asynchronous copies and tensor cores, see tensor/cuda/mma.h.
void start_copy(void* to, const void* from, std::size_t bytes, bool exists);
/// Returns when those of this thread are done.
void finish_copies();
void mma(float (&c)[4], const std::uint32_t (&a)[4], std::uint32_t b0, std::uint32_t b1);
void load_matrices(std::uint32_t (&words)[4], const std::uint16_t* row, bool transposed);

template <class T>
T shuffle(T value, unsigned from) {
  static_assert(sizeof(T) <= 8);
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  bits = exchange(bits, from);
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace emulator

inline void __syncthreads() { emulator::block_barrier(); }
inline void __syncwarp(unsigned = ~0u) { emulator::warp_barrier(); }
template <class T>
T __shfl_sync(unsigned, T value, int lane) {
  return emulator::shuffle(value, static_cast<unsigned>(lane));
}
template <class T>
T __shfl_xor_sync(unsigned, T value, int mask) {
  return emulator::shuffle(value, emulator::lane() ^ static_cast<unsigned>(mask));
}
/// Lanes without one so far below keep their own.
template <class T>
T __shfl_up_sync(unsigned, T value, unsigned distance) {
  const unsigned lane = emulator::lane();
  return emulator::shuffle(value, lane < distance ? lane : lane - distance);
}
unsigned __ballot_sync(unsigned mask, int predicate);
/// Fibers never run at the same time.
inline unsigned atomicAdd(unsigned* at, unsigned more) {
  const unsigned before = *at;
  *at += more;
  return before;
}
inline int __ffs(int word) { return std::countr_zero(static_cast<unsigned>(word)) + 1; }
inline int __popc(unsigned word) { return std::popcount(word); }
inline float __expf(float x) { return std::exp(x); }
inline unsigned __float_as_uint(float x) { return std::bit_cast<unsigned>(x); }
inline float __uint_as_float(unsigned x) { return std::bit_cast<float>(x); }

// The runtime's functions.
enum cudaError_t {
  cudaSuccess,
  cudaErrorInvalidValue,
  cudaErrorMemoryAllocation,
  cudaErrorNoKernelImageForDevice = 209,
  cudaErrorNotReady = 600,
  cudaErrorStreamCaptureUnsupported = 900
};
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
enum cudaDeviceAttr { cudaDevAttrMultiProcessorCount };
struct cudaFuncAttributes {
  int ptxVersion = 0;
};
using cudaStream_t = emulator::Stream*;
using cudaEvent_t = emulator::Event*;
using cudaGraph_t = emulator::Graph*;
using cudaGraphExec_t = emulator::Graph*;
enum cudaStreamCaptureMode { cudaStreamCaptureModeRelaxed = 2 };
inline constexpr unsigned cudaStreamNonBlocking = 1, cudaEventDisableTiming = 2;
struct cudaDeviceProp {
  char name[64] = "emulator on the CPU";
  int major = 0, minor = 0, multiProcessorCount = 4;
  std::size_t totalGlobalMem = std::size_t{1} << 32;
};

inline const char* cudaGetErrorString(cudaError_t) { return "invalid value"; }
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
/// As many as KETTE_EMULATOR_DEVICES says, or one: all are the same CPU.
inline cudaError_t cudaGetDeviceCount(int* count) {
  const char* named = std::getenv("KETTE_EMULATOR_DEVICES");
  return *count = named != nullptr ? std::atoi(named) : 1, cudaSuccess;
}
inline cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  return *properties = {}, cudaSuccess;
}
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) {
  return *value = 4, cudaSuccess;
}
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes*, void (*)()) {
  return emulator::is_planted("no kernels") ? cudaErrorNoKernelImageForDevice : cudaSuccess;
}
inline cudaError_t cudaDriverGetVersion(int* version) { return *version = 0, cudaSuccess; }
inline cudaError_t cudaSetDevice(int) { return cudaSuccess; }
inline cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  return *free = 0, *total = cudaDeviceProp().totalGlobalMem, cudaSuccess;
}
cudaError_t cudaMalloc(void** memory, std::size_t bytes);
cudaError_t cudaFree(void* memory);
cudaError_t cudaMallocHost(void** memory, std::size_t bytes);
cudaError_t cudaFreeHost(void* memory);
cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph,
                                 unsigned long long flags);
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
