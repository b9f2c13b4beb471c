// Tensor cores: C[16, 8] += A[16, 16] B[16, 8] by one warp, bf16 with sums in f32 (PTX
// mma.m16n8k16). With g = lane / 4 and t = lane % 4, a word of a lane holds two neighbours of a
// row:
//   A  rows g, g + 8, g, g + 8; columns 2t, 2t, 2t + 8, 2t + 8 (and the next) in its four words
//   B  column g; rows 2t, 2t + 8 (and the next) in its two words
//   C  row g, columns 2t, 2t + 1; row g + 8, columns 2t, 2t + 1
// The emulator also has these instructions, see tests/cuda_emulator/tensor_cores.cpp.
#pragma once

#include <cstdint>

#include "tensor/cuda/launch.h"
#include "tensor/dtype.h"

namespace kette::cuda {

using Words = std::uint32_t[4];

#ifdef __CUDACC__

/// Two floats to bf16, the first in the lower half.
__device__ inline std::uint32_t pack(float low, float high) {
  std::uint32_t word;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
  return word;
}

__device__ inline void mma(float (&c)[4], const Words& a, std::uint32_t b0, std::uint32_t b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ inline std::uint32_t shared_address(const void* at) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(at));
}

/// Four matrices [8, 8] from shared memory: lane l passes the address of row l % 8 of matrix l / 8,
/// 16 bytes. Word m of a lane is row g, columns 2t and 2t + 1 of matrix m.
__device__ inline void load_matrices(Words& words, const std::uint16_t* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(shared_address(row))
               : "memory");
}

/// Likewise, but word m of a lane is column g, rows 2t and 2t + 1.
__device__ inline void load_matrices_transposed(Words& words, const std::uint16_t* row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
               : "r"(shared_address(row))
               : "memory");
}

/// Starts copying 4, 8 or 16 aligned bytes to shared memory, or writes zeros unless it `exists`.
template <int kBytes>
__device__ void start_copy(void* to, const void* from, bool exists) {
  if constexpr (kBytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)),
                 "l"(from), "r"(exists ? 16 : 0)
                 : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared_address(to)),
                 "l"(from), "n"(kBytes), "r"(exists ? kBytes : 0)
                 : "memory");
  }
}
/// Waits for the copies this thread started.
__device__ inline void finish_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

/// 2^x to 2 units in the last place; subnormal numbers count as 0.
__device__ inline float fast_exp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

#else

inline std::uint32_t pack(float low, float high) {
  return BFloat16(low).bits | static_cast<std::uint32_t>(BFloat16(high).bits) << 16;
}

using emulator::mma, emulator::finish_copies;

inline void load_matrices(Words& words, const std::uint16_t* row) {
  emulator::load_matrices(words, row, false);
}
inline void load_matrices_transposed(Words& words, const std::uint16_t* row) {
  emulator::load_matrices(words, row, true);
}
template <int kBytes>
void start_copy(void* to, const void* from, bool exists) {
  emulator::start_copy(to, from, kBytes, exists);
}
inline float fast_exp2(float x) { return std::exp2(x); }

#endif

}  // namespace kette::cuda
