// The matrix product on CUDA, by cuBLASLt. It counts by columns, so it is asked for the transpose,
//   C^T = op(B)^T op(A)^T   [n, m],
// which lies in memory as the row-major C does; every row-major matrix is its own transpose there.
// What was found out about a product is kept for the next of its kind.
#include <map>
#include <mutex>

#include "tensor/cuda/cublas_lt.h"
#include "tensor/cuda/matmul_epilogue.h"

namespace kette::kernels {
namespace {

using cuda::check, cuda::cublas_lt, cuda::Owned;

constexpr std::int64_t kWorkspaceBytes = std::int64_t{32} << 20;
constexpr std::uintptr_t kWorkspaceAlignment = 256;

/// What the choice of a kernel depends on.
struct Problem {
  DType dtype = DType::f32;
  bool wide_result = false, tf32 = false, transpose_a = false, transpose_b = false;
  std::int64_t m = 0, n = 0, k = 0, lda = 0, ldb = 0, ldc = 0;
  std::int64_t batch = 1, stride_a = 0, stride_b = 0, stride_c = 0;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  std::uint32_t alignment_a = 0, alignment_b = 0, alignment_c = 0, alignment_d = 0,
                alignment_bias = 0;

  auto operator<=>(const Problem&) const = default;
};

/// The product as cuBLASLt takes it: its first operand is B, its second A.
struct Plan {
  Owned<cublasLtMatmulDesc_t> operation;
  Owned<cublasLtMatrixLayout_t> first, second, result;
  cublasLtMatmulAlgo_t algorithm;
  bool found = false;
};

cudaDataType_t type_of(DType dtype) {
  return dtype == DType::f64 ? CUDA_R_64F : dtype == DType::bf16 ? CUDA_R_16BF : CUDA_R_32F;
}

/// In bytes, at most what the allocator promises: where a tensor happens to lie must not decide
/// which kernel runs, for kernels differ in the last bits.
std::uint32_t alignment_of(const void* address) {
  constexpr std::uintptr_t kPromised = 64;
  const std::uintptr_t bits = reinterpret_cast<std::uintptr_t>(address) | kPromised;
  return static_cast<std::uint32_t>(bits & (~bits + 1));
}

/// The part of the epilogue that the library can do in the product itself.
cublasLtEpilogue_t fused_epilogue(const MatmulArgs& args) {
  if (args.dtype == DType::f64) return CUBLASLT_EPILOGUE_DEFAULT;
  if (args.activation == Activation::relu && !args.pre_activation) {
    return args.bias ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
  }
  return args.bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
}

Problem problem_of(const MatmulArgs& args, void* result, cublasLtEpilogue_t epilogue, bool tf32) {
  Problem problem{args.dtype, args.wide_result, tf32 && args.dtype == DType::f32, args.transpose_a,
                  args.transpose_b};
  problem.m = args.m, problem.n = args.n, problem.k = args.k;
  problem.lda = args.lda, problem.ldb = args.ldb, problem.ldc = args.ldc;
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
  problem.alignment_d = alignment_of(result);
  problem.alignment_bias = alignment_of(args.bias);
  return problem;
}

/// Of one of the matrices, with as many in the batch.
Owned<cublasLtMatrixLayout_t> make_layout(DType dtype, std::int64_t batch, bool transposed,
                                          std::int64_t rows, std::int64_t columns, std::int64_t ld,
                                          std::int64_t stride) {
  if (transposed) std::swap(rows, columns);
  auto layout = cuda::make_layout(type_of(dtype), rows, columns, ld);
  cuda::set(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, static_cast<std::int32_t>(batch));
  cuda::set(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, stride);
  return layout;
}

/// `bias` is not read, but where it lies matters.
Plan make_plan(cublasLtHandle_t library, const Problem& problem, const void* bias) {
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
  cuda::set(plan.operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, bias);
  const DType operands = problem.dtype;
  const DType result = problem.wide_result ? compute_dtype(operands) : operands;
  plan.first = make_layout(operands, problem.batch, problem.transpose_b, problem.n, problem.k,
                           problem.ldb, problem.stride_b);
  plan.second = make_layout(operands, problem.batch, problem.transpose_a, problem.k, problem.m,
                            problem.lda, problem.stride_a);
  plan.result = make_layout(result, problem.batch, false, problem.n, problem.m, problem.ldc,
                            problem.stride_c);

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
  cublasLtMatmulHeuristicResult_t best;
  int count = 0;
  const cublasStatus_t status = cublas_lt().cublasLtMatmulAlgoGetHeuristic(
      library, plan.operation.get(), plan.first.get(), plan.second.get(), plan.result.get(),
      plan.result.get(), preference.get(), 1, &best, &count);
  plan.found = status == CUBLAS_STATUS_SUCCESS && count > 0;
  if (plan.found) plan.algorithm = best.algo;
  return plan;
}

/// What a device keeps for its products.
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

  /// result = alpha * op(A) op(B) + beta * C, and as much of the epilogue as is returned.
  cublasLtEpilogue_t multiply(const MatmulArgs& args, void* result) {
    const std::lock_guard lock(mutex_);
    cublasLtEpilogue_t epilogue = fused_epilogue(args);
    const Plan* plan = &plan_for(args, result, epilogue);
    if (!plan->found && epilogue != CUBLASLT_EPILOGUE_DEFAULT) {
      epilogue = CUBLASLT_EPILOGUE_DEFAULT;
      plan = &plan_for(args, result, epilogue);
    }
    KETTE_CHECK(plan->found, "matmul: expected a product that cuBLASLt has a kernel for, given ",
                name_of(args.dtype), " with m = ", args.m, ", n = ", args.n, ", k = ", args.k);
    if (args.dtype == DType::f64) {
      queue(*plan, args, result, args.alpha, args.beta);
    } else {
      queue(*plan, args, result, static_cast<float>(args.alpha), static_cast<float>(args.beta));
    }
    return epilogue;
  }

 private:
  const Plan& plan_for(const MatmulArgs& args, void* result, cublasLtEpilogue_t epilogue) {
    constexpr std::size_t kMostPlans = 1 << 14;  // some 20 MB
    const Problem problem = problem_of(args, result, epilogue, tf32_);
    const auto known = plans_.find(problem);
    if (known != plans_.end()) return known->second;
    if (plans_.size() == kMostPlans) plans_.clear();
    return plans_.emplace(problem, make_plan(library_, problem, args.bias)).first->second;
  }

  template <class Scale>
  void queue(const Plan& plan, const MatmulArgs& args, void* result, Scale alpha, Scale beta) {
    cuda::set(plan.operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER, args.bias);
    const auto workspace =
        (reinterpret_cast<std::uintptr_t>(workspace_.raw()) + kWorkspaceAlignment - 1) &
        ~(kWorkspaceAlignment - 1);
    check(cublas_lt().cublasLtMatmul(library_, plan.operation.get(), &alpha, args.b,
                                     plan.first.get(), args.a, plan.second.get(), &beta, args.c,
                                     plan.result.get(), result, plan.result.get(), &plan.algorithm,
                                     reinterpret_cast<void*>(workspace), kWorkspaceBytes,
                                     cuda::stream(exec_)),
          "a matrix product");
  }

  CudaExec exec_;
  Tensor workspace_;  // used by one product after the other: they share a stream
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

}  // namespace

void allow_tf32(CudaExec exec, bool allow) { multiplier(exec).allow_tf32(allow); }

void matmul(CudaExec exec, const MatmulArgs& args) {
  args.check();
  if (args.m == 0 || args.n == 0 || args.batch == 0) return;
  if (args.k == 0) return cuda::finish_product(exec, args, args.c, args.beta);
  void* result = args.pre_activation ? args.pre_activation : args.c;
  const cublasLtEpilogue_t done = multiplier(exec).multiply(args, result);
  MatmulArgs rest = args;
  if (done & CUBLASLT_EPILOGUE_BIAS) rest.bias = nullptr;
  if (done & CUBLASLT_EPILOGUE_RELU) rest.activation = Activation::none;
  cuda::finish_product(exec, rest, result, 1);
}

}  // namespace kette::kernels
