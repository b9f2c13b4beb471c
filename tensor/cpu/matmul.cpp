// The matrix product on the CPU. f32 and bf16 run on Kette's own tiles (product.h), f64 on
// OpenBLAS. In all cases the order of each element's sum depends only on the shapes, so the result
// has the same bits for any number of threads.
#include "tensor/cpu/blas.h"
#include "tensor/cpu/column_sums.h"
#include "tensor/cpu/matmul_epilogue.h"
#include "tensor/cpu/parallel.h"
#include "tensor/cpu/product.h"
#include "tensor/cpu/scratch.h"
#include "tensor/kernels.h"

namespace kette::kernels {
namespace {

using cpu::Epilogue;
using cpu::parallel_blocks;
using cpu::Scratch;

/// One matrix of the batch; operands of T, results of Out.
template <class T, class Out>
struct Problem {
  const MatmulArgs& args;
  const T *a, *b;
  Epilogue<Out> epilogue;

  Problem(const MatmulArgs& given, std::int64_t index) : args(given) {
    const std::int64_t at = index * args.batch_stride_c;
    const auto from = [&](void* start) { return start ? static_cast<Out*>(start) + at : nullptr; };
    a = static_cast<const T*>(args.a) + index * args.batch_stride_a;
    b = static_cast<const T*>(args.b) + index * args.batch_stride_b;
    epilogue = {from(args.c),
                args.ldc,
                static_cast<const Out*>(args.bias),
                args.activation,
                from(args.pre_activation),
                static_cast<const Out*>(args.kept)};
  }

  static MatrixView<const T> view(const T* data, std::int64_t ld, bool transpose) {
    const MatrixView<const T> rows{data, ld};
    return transpose ? rows.transposed() : rows;
  }
  MatrixView<const T> left() const { return view(a, args.lda, args.transpose_a); }
  MatrixView<const T> right() const { return view(b, args.ldb, args.transpose_b); }

  /// Finishes part of a row of C from its product, stored elsewhere.
  void store(std::int64_t row, std::int64_t column, std::int64_t columns,
             Compute<Out>* values) const {
    using C = Compute<Out>;
    if (args.beta != 0) {
      const Out* old = epilogue.out + row * args.ldc + column;
      for (std::int64_t j = 0; j < columns; ++j) values[j] += C(args.beta) * C(old[j]);
    }
    epilogue.apply(row, column, columns, values);
  }
};

/// Directly into an f32 C.
template <class T>
void multiply_in_place(const Problem<T, float>& problem) {
  const MatmulArgs& args = problem.args;
  const Epilogue<float>& epilogue = problem.epilogue;
  const auto finish = [&](const cpu::ProductBlock& block) {
    for (std::int64_t i = 0; i < block.rows; ++i) {
      epilogue.apply(block.row + i, block.column, block.columns, block.values + i * block.ld);
    }
  };
  cpu::product<T>({args.m, args.n, args.k}, static_cast<float>(args.alpha), problem.left(),
                  problem.right(), static_cast<float>(args.beta), epilogue.out, args.ldc,
                  epilogue.empty() ? cpu::FinishBlock() : finish);
}

/// Into a bf16 C, from f32 blocks.
template <class T>
void multiply_aside(const Problem<T, BFloat16>& problem) {
  const MatmulArgs& args = problem.args;
  const auto finish = [&](const cpu::ProductBlock& block) {
    for (std::int64_t i = 0; i < block.rows; ++i) {
      problem.store(block.row + i, block.column, block.columns, block.values + i * block.ld);
    }
  };
  cpu::product<T>({args.m, args.n, args.k}, static_cast<float>(args.alpha), problem.left(),
                  problem.right(), 0, nullptr, 0, finish);
}

/// C^T = op(B)^T op(A)^T, for few rows times the rows of a weight matrix: packing A is cheap, and
/// the weights are read in place.
template <class T, class Out>
void multiply_swapped(const Problem<T, Out>& problem) {
  const MatmulArgs& args = problem.args;
  const Scratch<float> values(args.m * args.n);
  const auto finish = [&](const cpu::ProductBlock& block) {
    for (std::int64_t i = 0; i < block.columns; ++i) {
      const std::int64_t row = block.column + i, column = block.row;
      float* out = values.data() + row * args.n + column;
      for (std::int64_t j = 0; j < block.rows; ++j) out[j] = block.values[j * block.ld + i];
      problem.store(row, column, block.rows, out);
    }
  };
  cpu::product<T>({args.n, args.m, args.k}, static_cast<float>(args.alpha),
                  problem.right().transposed(), problem.left().transposed(), 0, nullptr, 0, finish);
}

/// A sum over many rows into a small C, such as a weight's gradient: parts of k in parallel, then
/// their sum.
template <class T, class Out>
void multiply_in_parts(const Problem<T, Out>& problem, std::int64_t depth) {
  const std::int64_t m = problem.args.m, n = problem.args.n, k = problem.args.k;
  const MatrixView<const T> a = problem.left(), b = problem.right();
  const std::int64_t parts = cpu::ceil_div(k, depth);
  const Scratch<float> scratch(parts * m * n);
  parallel_blocks(k, depth, m * n, [&](std::int64_t begin, std::int64_t end) {
    cpu::product<T>({m, n, end - begin}, static_cast<float>(problem.args.alpha), a.from(0, begin),
                    b.from(begin, 0), 0, scratch.data() + begin / depth * m * n, n);
  });
  parallel_blocks(m, 16, n * parts, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      float* sum = scratch.data() + i * n;
      cpu::add_blocks(sum, parts, m * n, n);
      problem.store(i, 0, n, sum);
    }
  });
}

/// f64, a block of rows at a time.
void multiply_by_blas(const Problem<double, double>& problem) {
  const MatmulArgs& args = problem.args;
  const Epilogue<double>& epilogue = problem.epilogue;
  parallel_blocks(args.m, 64, args.n * args.k, [&](std::int64_t begin, std::int64_t end) {
    if (args.k == 0) {
      for (std::int64_t i = begin; i < end; ++i) {
        double* row = epilogue.out + i * args.ldc;
        for (std::int64_t j = 0; j < args.n; ++j) row[j] = args.beta == 0 ? 0 : args.beta * row[j];
      }
    } else {
      cpu::gemm({args.transpose_a, args.transpose_b, end - begin, args.n, args.k, args.lda,
                 args.ldb, args.ldc},
                args.alpha, problem.a + begin * (args.transpose_a ? 1 : args.lda), problem.b,
                args.beta, epilogue.out + begin * args.ldc);
    }
    if (epilogue.empty()) return;
    for (std::int64_t i = begin; i < end; ++i) {
      epilogue.apply(i, 0, args.n, epilogue.out + i * args.ldc);
    }
  });
}

template <class T, class Out>
void multiply(const Problem<T, Out>& problem) {
  const std::int64_t m = problem.args.m, n = problem.args.n, k = problem.args.k;
  if constexpr (std::is_same_v<T, double>) {
    multiply_by_blas(problem);
  } else {
    constexpr std::int64_t kFewRows = 32, kPart = 512, kMostParts = 16, kSmallResult = 1 << 17;
    if (m <= kFewRows && n > m && problem.args.transpose_b) {
      multiply_swapped(problem);
    } else if (problem.args.transpose_a && k >= 2 * kPart && m * n <= kSmallResult) {
      multiply_in_parts(problem, std::max(kPart, cpu::ceil_div(k, kMostParts)));
    } else if constexpr (std::is_same_v<Out, float>) {
      multiply_in_place(problem);
    } else {
      multiply_aside(problem);
    }
  }
}

template <class T, class Out>
void multiply_batch(const MatmulArgs& args) {
  const std::int64_t cost = args.m * args.n * std::max<std::int64_t>(args.k, 1);
  constexpr std::int64_t kLarge = std::int64_t{1} << 22;  // worth all threads alone
  if (args.batch == 1 || cost >= kLarge) {
    for (std::int64_t index = 0; index < args.batch; ++index)
      multiply(Problem<T, Out>(args, index));
  } else {
    parallel_blocks(args.batch, 1, cost, [&](std::int64_t index, std::int64_t) {
      multiply(Problem<T, Out>(args, index));
    });
  }
}

}  // namespace

void matmul(CpuExec, const MatmulArgs& args) {
  args.check();
  if (args.m == 0 || args.batch == 0) return;
  visit_float(args.dtype, "matmul", [&]<class T>(T) {
    if constexpr (std::is_same_v<T, double>) cpu::prepare_blas();
    if (args.n > 0)
      args.wide_result ? multiply_batch<T, Compute<T>>(args) : multiply_batch<T, T>(args);
    const auto add_rows = [](const void* x, std::int64_t rows, std::int64_t width, std::int64_t ld,
                             void* sums) {
      if (sums == nullptr) return;
      cpu::add_rows(static_cast<const T*>(x), rows, width, ld, static_cast<Compute<T>*>(sums));
    };
    add_rows(args.c, args.m, args.n, args.ldc, args.column_sums);
    add_rows(args.a, args.k, args.m, args.lda, args.a_row_sums);
  });
}

}  // namespace kette::kernels
