// The matrix product on the CPU, in blocks whose boundaries depend on the shapes alone, so that the
// result has the same bits for any number of threads; bias and activation are applied to a block
// while it is in cache.
#include <limits>

#include "tensor/cpu/blas.h"
#include "tensor/cpu/matmul_epilogue.h"
#include "tensor/cpu/parallel.h"
#include "tensor/cpu/scratch.h"
#include "tensor/kernels.h"

namespace kette::kernels {
namespace {

/// Rows [begin, end) of one matrix of the batch: product and epilogue.
template <class T>
void multiply_rows(const MatmulArgs& args, std::int64_t batch, std::int64_t begin,
                   std::int64_t end) {
  const T* a = static_cast<const T*>(args.a) + batch * args.batch_stride_a +
               begin * (args.transpose_a ? 1 : args.lda);
  const T* b = static_cast<const T*>(args.b) + batch * args.batch_stride_b;
  const std::int64_t at = batch * args.batch_stride_c + begin * args.ldc;
  T* c = static_cast<T*>(args.c) + at;
  T* pre = args.pre_activation ? static_cast<T*>(args.pre_activation) + at : nullptr;
  if (args.k > 0) {
    cpu::gemm({args.transpose_a, args.transpose_b, end - begin, args.n, args.k, args.lda, args.ldb,
               args.ldc},
              T(args.alpha), a, b, T(args.beta), c);
  } else {
    for (std::int64_t i = 0; i < end - begin; ++i) {
      for (std::int64_t j = 0; j < args.n; ++j) {
        T& element = c[i * args.ldc + j];
        element = args.beta == 0 ? T(0) : T(args.beta) * element;
      }
    }
  }
  const cpu::Epilogue<T> epilogue{static_cast<const T*>(args.bias), args.activation, pre};
  if (epilogue.empty()) return;
  for (std::int64_t i = 0; i < end - begin; ++i) {
    epilogue.finish_row(c + i * args.ldc, c + i * args.ldc, args.n, i * args.ldc);
  }
}

template <class T>
void multiply(const MatmulArgs& args) {
  constexpr std::int64_t kRows = 256;
  const std::int64_t blocks = (args.m + kRows - 1) / kRows;
  cpu::parallel_blocks(
      args.batch * blocks, 1, kRows * args.n * args.k, [&](std::int64_t index, std::int64_t) {
        const std::int64_t begin = index % blocks * kRows;
        multiply_rows<T>(args, index / blocks, begin, std::min(args.m, begin + kRows));
      });
}

}  // namespace

void matmul(CpuExec, const MatmulArgs& args) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  KETTE_CHECK(std::max({args.m, args.n, args.k, args.lda, args.ldb, args.ldc}) <= kMost,
              "matmul: expected sides below 2^31, given m = ", args.m, ", n = ", args.n,
              ", k = ", args.k);
  if (args.m == 0 || args.n == 0 || args.batch == 0) return;
  cpu::prepare_blas();
  visit_float(args.dtype, "matmul", [&]<class T>(T) {
    if constexpr (std::is_same_v<T, BFloat16>) {
      fail("matmul: bf16");
    } else {
      multiply<T>(args);
    }
  });
}

}  // namespace kette::kernels
