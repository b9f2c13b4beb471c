// The matrix product on CUDA, by cuBLASLt. cuBLASLt is column-major, so it computes the transpose,
//   C^T = op(B)^T op(A)^T   [n, m],
// which has the memory layout of the row-major C; every row-major matrix is its transpose there.
// The plan of a product is kept for the next of its kind.
#include <algorithm>
#include <map>
#include <mutex>

#include "tensor/cuda/cublas_lt.h"
#include "tensor/cuda/matmul_epilogue.h"

namespace kette::kernels {
namespace {

using cuda::check, cuda::cublas_lt, cuda::Owned, cuda::round_up;

constexpr std::int64_t kWorkspaceBytes = std::int64_t{32} << 20;
constexpr std::uintptr_t kWorkspaceAlignment = 256;

/// What the choice of a kernel depends on. The rows of a batch differ from step to step, so m and k
/// are rounded up: a kernel that is fast for one number of rows is fast for its neighbours, too.
struct Problem {
  DType dtype = DType::f32;
  bool wide_result = false, tf32 = false, transpose_a = false, transpose_b = false;
  std::int64_t m = 0, n = 0, k = 0, lda = 0, ldb = 0, ldc = 0;
  std::int64_t batch = 1, stride_a = 0, stride_b = 0, stride_c = 0;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  std::uint32_t alignment_a = 0, alignment_b = 0, alignment_c = 0, alignment_d = 0,
                alignment_bias = 0, alignment_auxiliary = 0;

  auto operator<=>(const Problem&) const = default;
};

/// The product as cuBLASLt takes it: its first operand is B, its second A.
struct Layouts {
  Owned<cublasLtMatrixLayout_t> first, second, result;
};

struct Plan {
  Owned<cublasLtMatmulDesc_t> operation;
  cublasLtMatmulAlgo_t algorithm;
  bool found = false;
};

cudaDataType_t type_of(DType dtype) {
  return dtype == DType::f64 ? CUDA_R_64F : dtype == DType::bf16 ? CUDA_R_16BF : CUDA_R_32F;
}

/// In bytes, at most what the allocator guarantees: a tensor's address must not decide which kernel
/// runs, since kernels differ in the last bits.
std::uint32_t alignment_of(const void* address) {
  constexpr std::uintptr_t kPromised = 64;
  const std::uintptr_t bits = reinterpret_cast<std::uintptr_t>(address) | kPromised;
  return static_cast<std::uint32_t>(bits & (~bits + 1));
}

bool does(cublasLtEpilogue_t epilogue, int part) { return (epilogue & part) == part; }

/// The part of the epilogue that the library can do in the product itself.
cublasLtEpilogue_t fused_epilogue(const MatmulArgs& args) {
  if (args.dtype == DType::f64) return CUBLASLT_EPILOGUE_DEFAULT;
  if (args.a_row_sums) return CUBLASLT_EPILOGUE_BGRADB;  // A is its second operand
  if (args.kept) {
    if (args.activation != Activation::gelu) return CUBLASLT_EPILOGUE_DEFAULT;
    return args.column_sums ? CUBLASLT_EPILOGUE_DGELU_BGRAD : CUBLASLT_EPILOGUE_DGELU;
  }
  if (args.activation == Activation::gelu) {
    if (args.pre_activation) {
      return args.bias ? CUBLASLT_EPILOGUE_GELU_AUX_BIAS : CUBLASLT_EPILOGUE_GELU_AUX;
    }
    return args.bias ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU;
  }
  // cuBLASLt's ReLU turns NaNs into zeros (seen in bf16 on an H200), so Kette applies its own.
  return args.bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
}

/// What the library reads or writes besides the matrices: the vector that it adds or the sums that
/// it computes, and the matrix that an activation saves.
struct Extras {
  const void* vector = nullptr;
  const void* auxiliary = nullptr;

  Extras(const MatmulArgs& args, cublasLtEpilogue_t epilogue, const void* sums)
      : vector(does(epilogue, CUBLASLT_EPILOGUE_BIAS) ? args.bias : sums) {
    if (does(epilogue, CUBLASLT_EPILOGUE_GELU_AUX)) auxiliary = args.pre_activation;
    if (does(epilogue, CUBLASLT_EPILOGUE_DGELU)) auxiliary = args.kept;
  }
};

/// Where the library writes its result: if it does not apply the activation, where the
/// pre-activation is saved.
void* result_of(const MatmulArgs& args, cublasLtEpilogue_t epilogue) {
  const bool keeps = args.pre_activation && !does(epilogue, CUBLASLT_EPILOGUE_GELU_AUX);
  return keeps ? args.pre_activation : args.c;
}

Problem problem_of(const MatmulArgs& args, cublasLtEpilogue_t epilogue, const Extras& extras,
                   bool tf32) {
  Problem problem{args.dtype, args.wide_result, tf32 && args.dtype == DType::f32, args.transpose_a,
                  args.transpose_b};
  problem.m = args.m;
  problem.n = args.n;
  problem.k = args.k;
  problem.lda = args.lda;
  problem.ldb = args.ldb;
  problem.ldc = args.ldc;
  if (args.batch != 1) {
    problem.batch = args.batch;
    problem.stride_a = args.batch_stride_a;
    problem.stride_b = args.batch_stride_b;
    problem.stride_c = args.batch_stride_c;
  }
  problem.epilogue = epilogue;
  problem.alignment_a = alignment_of(args.a);
  problem.alignment_b = alignment_of(args.b);
  problem.alignment_c = alignment_of(args.c);
  problem.alignment_d = alignment_of(result_of(args, epilogue));
  problem.alignment_bias = alignment_of(extras.vector);
  problem.alignment_auxiliary = alignment_of(extras.auxiliary);
  return problem;
}

/// The problem that represents this one: rows rounded up, and leading dimensions if they must be.
Problem rounded(Problem problem) {
  constexpr std::int64_t kRows = 128;
  const auto round = [](std::int64_t& rows) {
    if (rows > kRows) rows = round_up(rows, kRows);
  };
  round(problem.m);
  round(problem.k);
  problem.lda = std::max(problem.lda, problem.transpose_a ? problem.m : problem.k);
  problem.ldb = std::max(problem.ldb, problem.transpose_b ? problem.k : problem.n);
  return problem;
}

/// The layout of a matrix of the batch.
Owned<cublasLtMatrixLayout_t> make_layout(DType dtype, std::int64_t batch, bool transposed,
                                          std::int64_t rows, std::int64_t columns, std::int64_t ld,
                                          std::int64_t stride) {
  if (transposed) std::swap(rows, columns);
  auto layout = cuda::make_layout(type_of(dtype), rows, columns, ld);
  cuda::set(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, static_cast<std::int32_t>(batch));
  cuda::set(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, stride);
  return layout;
}

Layouts make_layouts(const Problem& problem) {
  const DType operands = problem.dtype;
  const DType result = problem.wide_result ? compute_dtype(operands) : operands;
  return {make_layout(operands, problem.batch, problem.transpose_b, problem.n, problem.k,
                      problem.ldb, problem.stride_b),
          make_layout(operands, problem.batch, problem.transpose_a, problem.k, problem.m,
                      problem.lda, problem.stride_a),
          make_layout(result, problem.batch, false, problem.n, problem.m, problem.ldc,
                      problem.stride_c)};
}

/// `extras` are not read, but their alignment matters.
Plan make_plan(cublasLtHandle_t library, const Problem& problem, const Extras& extras) {
  const bool f64 = problem.dtype == DType::f64;
  const cublasComputeType_t compute = f64            ? CUBLAS_COMPUTE_64F
                                      : problem.tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                     : CUBLAS_COMPUTE_32F;
  Plan plan;
  plan.operation = cuda::make_operation(compute, f64 ? CUDA_R_64F : CUDA_R_32F);
  const auto order = [](bool transpose) { return transpose ? CUBLAS_OP_T : CUBLAS_OP_N; };
  cuda::set(plan.operation, CUBLASLT_MATMUL_DESC_TRANSA, order(problem.transpose_b));
  cuda::set(plan.operation, CUBLASLT_MATMUL_DESC_TRANSB, order(problem.transpose_a));
  cuda::set(plan.operation, CUBLASLT_MATMUL_DESC_EPILOGUE, problem.epilogue);
  cuda::set(plan.operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, extras.vector);
  if (extras.auxiliary) {
    cuda::set(plan.operation, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, extras.auxiliary);
    cuda::set(plan.operation, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, problem.ldc);
  }

  const auto preference = cuda::make_preference();
  cuda::set(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
            static_cast<std::uint64_t>(kWorkspaceBytes));
  // Parts of a sum are added in f32, also when the result is bf16.
  cuda::set(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
            static_cast<std::uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
  cuda::set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, problem.alignment_b);
  cuda::set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, problem.alignment_a);
  cuda::set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, problem.alignment_c);
  cuda::set(preference, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, problem.alignment_d);
  const Layouts layouts = make_layouts(problem);
  cublasLtMatmulHeuristicResult_t best;
  int count = 0;
  const cublasStatus_t status = cublas_lt().cublasLtMatmulAlgoGetHeuristic(
      library, plan.operation.get(), layouts.first.get(), layouts.second.get(),
      layouts.result.get(), layouts.result.get(), preference.get(), 1, &best, &count);
  plan.found = status == CUBLAS_STATUS_SUCCESS && count > 0;
  if (plan.found) plan.algorithm = best.algo;
  return plan;
}

/// A device's state for its products.
class Multiplier {
 public:
  explicit Multiplier(CudaExec exec)
      : exec_(exec),
        workspace_(Tensor::empty({(kWorkspaceBytes + std::int64_t{kWorkspaceAlignment}) / 4},
                                 DType::f32, {DeviceKind::cuda, exec.device})) {
    cuda::stream(exec);  // makes the device the current one, to which the library then belongs
    check(cublas_lt().cublasLtCreate(&library_), "opening cuBLASLt");
  }

  void allow_tf32(bool allow) {
    const std::lock_guard lock(mutex_);
    tf32_ = allow;
  }

  /// Queues the product with the returned epilogue. sums: where the library writes its sums.
  cublasLtEpilogue_t multiply(const MatmulArgs& args, void* sums) {
    const std::lock_guard lock(mutex_);
    const cublasLtEpilogue_t epilogue = fused_epilogue(args);
    if (tries(args, epilogue, sums)) return epilogue;
    const auto plain = CUBLASLT_EPILOGUE_DEFAULT;
    KETTE_CHECK(epilogue != plain && tries(args, plain, nullptr),
                "matmul: expected a product that cuBLASLt has a kernel for, given ",
                name_of(args.dtype), " with m = ", args.m, ", n = ", args.n, ", k = ", args.k);
    return plain;
  }

 private:
  /// Queues the product if there is a kernel for it; returns whether there is.
  bool tries(const MatmulArgs& args, cublasLtEpilogue_t epilogue, void* sums) {
    const Extras extras(args, epilogue, sums);
    const Problem problem = problem_of(args, epilogue, extras, tf32_);
    return queue(plan_for(rounded(problem), extras), problem, args, extras) ||
           queue(plan_for(problem, extras), problem, args, extras);
  }

  const Plan& plan_for(const Problem& problem, const Extras& extras) {
    constexpr std::size_t kMostPlans = 1 << 14;  // about 20 MB
    const auto known = plans_.find(problem);
    if (known != plans_.end()) return known->second;
    if (plans_.size() == kMostPlans) plans_.clear();
    return plans_.emplace(problem, make_plan(library_, problem, extras)).first->second;
  }

  /// False if there is no kernel, or the plan's kernel does not support this problem.
  bool queue(const Plan& plan, const Problem& problem, const MatmulArgs& args,
             const Extras& extras) {
    if (!plan.found) return false;
    cuda::set(plan.operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, extras.vector);
    if (extras.auxiliary) {
      cuda::set(plan.operation, CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, extras.auxiliary);
    }
    const auto scaled = [&]<class Scale>(Scale alpha, Scale beta) {
      const auto workspace =
          (reinterpret_cast<std::uintptr_t>(workspace_.raw()) + kWorkspaceAlignment - 1) &
          ~(kWorkspaceAlignment - 1);
      const Layouts layouts = make_layouts(problem);
      void* result = result_of(args, problem.epilogue);
      return cublas_lt().cublasLtMatmul(library_, plan.operation.get(), &alpha, args.b,
                                        layouts.first.get(), args.a, layouts.second.get(), &beta,
                                        args.c, layouts.result.get(), result, layouts.result.get(),
                                        &plan.algorithm, reinterpret_cast<void*>(workspace),
                                        kWorkspaceBytes, cuda::stream(exec_));
    };
    const cublasStatus_t status =
        problem.dtype == DType::f64
            ? scaled(args.alpha, args.beta)
            : scaled(static_cast<float>(args.alpha), static_cast<float>(args.beta));
    if (status == CUBLAS_STATUS_INVALID_VALUE || status == CUBLAS_STATUS_NOT_SUPPORTED) {
      return false;
    }
    check(status, "a matrix product");
    return true;
  }

  CudaExec exec_;
  Tensor workspace_;  // used by one product at a time: they share a stream
  cublasLtHandle_t library_ = nullptr;
  std::mutex mutex_;
  bool tf32_ = false;
  std::map<Problem, Plan> plans_;
};

Multiplier& multiplier(CudaExec exec) {
  static std::mutex mutex;
  static auto& all = *new std::map<int, Multiplier>;  // lives as long as the devices do
  const std::lock_guard lock(mutex);
  return all.try_emplace(exec.device, exec).first->second;
}

/// The rest of a backward pass if the library has not computed the sums.
void finish_backward(CudaExec exec, const MatmulArgs& args, cublasLtEpilogue_t done) {
  visit_float(args.dtype, "matmul", [&]<class T>(T) {
    auto* of_columns = static_cast<Compute<T>*>(args.column_sums);
    auto* of_a = static_cast<Compute<T>*>(args.a_row_sums);
    if (args.n > 0 && args.kept && !does(done, CUBLASLT_EPILOGUE_DGELU)) {
      T* c = static_cast<T*>(args.c);
      cuda::differentiate<T>(exec, args.activation, static_cast<const T*>(args.kept), c, c, args.m,
                             args.n, of_columns);
    } else if (of_columns) {
      cuda::add_rows(exec, static_cast<const T*>(args.c), args.m, args.n, args.n, of_columns);
    }
    if (of_a) {
      cuda::add_rows(exec, static_cast<const T*>(args.a), args.k, args.m, args.lda, of_a);
    }
  });
}

}  // namespace

void allow_tf32(CudaExec exec, bool allow) { multiplier(exec).allow_tf32(allow); }

void matmul(CudaExec exec, const MatmulArgs& args) {
  args.check();
  if (args.m == 0 || args.batch == 0) return;
  if (args.n == 0) return finish_backward(exec, args, CUBLASLT_EPILOGUE_DEFAULT);
  if (args.k == 0) return cuda::finish_product(exec, args, args.c, args.beta);
  const cublasLtEpilogue_t wanted = fused_epilogue(args);
  const bool takes_sums =
      does(wanted, CUBLASLT_EPILOGUE_BGRADB) || does(wanted, CUBLASLT_EPILOGUE_DGELU_BGRAD);
  void* total = args.a_row_sums ? args.a_row_sums : args.column_sums;
  Tensor aside;  // the library overwrites sums, in the dtype of the result
  if (takes_sums && !(args.sums_are_zero && args.result_dtype() == compute_dtype(args.dtype))) {
    aside = Tensor::empty({args.a_row_sums ? args.m : args.n}, args.result_dtype(),
                          {DeviceKind::cuda, exec.device});
  }
  const cublasLtEpilogue_t done = multiplier(exec).multiply(args, aside.defined() ? aside.raw()
                                                                  : takes_sums    ? total
                                                                                  : nullptr);
  if (takes_sums && done == wanted) {
    if (!aside.defined()) return;
    return visit_float(aside.dtype(), "matmul", [&]<class T>(T) {
      cuda::add_rows(exec, aside.data<T>(), 1, aside.elements(), aside.elements(),
                     static_cast<Compute<T>*>(total));
    });
  }
  if (args.kept || args.column_sums || args.a_row_sums) return finish_backward(exec, args, done);
  MatmulArgs rest = args;
  if (does(done, CUBLASLT_EPILOGUE_BIAS)) rest.bias = nullptr;
  if (does(done, CUBLASLT_EPILOGUE_GELU)) {
    rest.activation = Activation::none;
    rest.pre_activation = nullptr;
  }
  cuda::finish_product(exec, rest, result_of(args, done), 1);
}

}  // namespace kette::kernels
