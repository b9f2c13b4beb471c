// OpenBLAS with one thread per call (the threads are Kette's own) and the best kernels for this
// CPU. A library older than the CPU falls back to AVX2 kernels at half the speed. So if the CPU has
// AVX-512 and the library chose a core without it, a core with it is chosen here. The environment
// variable KETTE_BLAS_CORE overrides this; OpenBLAS's own OPENBLAS_CORETYPE does not, since
// machines set it for all programs and not to the best core.
#pragma once

#include <cstdint>
#include <string>

namespace kette::cpu {

/// Prepares OpenBLAS, once. Call it before any gemm() outside the matmul kernel, and not inside a
/// parallel region. An unknown KETTE_BLAS_CORE is an Error.
void prepare_blas();

/// The name of the core in use, as OpenBLAS spells it: "SkylakeX", "Haswell" ...
std::string blas_core();

/// One matrix product on the calling thread; row-major, extents of at most 2^31 - 1.
/// C = alpha * op(A) op(B) + beta * C with op(A): [m, k], op(B): [k, n].
struct GemmShape {
  bool transpose_a = false, transpose_b = false;
  std::int64_t m = 0, n = 0, k = 0;
  std::int64_t lda = 0, ldb = 0, ldc = 0;
};
void gemm(const GemmShape& shape, float alpha, const float* a, const float* b, float beta,
          float* c);
void gemm(const GemmShape& shape, double alpha, const double* a, const double* b, double beta,
          double* c);

}  // namespace kette::cpu
