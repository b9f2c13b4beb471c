// D = epilogue(alpha * op(A) op(B) + beta * C + bias) for column-major matrices, one element after
// the other.
#include <cmath>
#include <cstring>
#include <map>

#include "cublasLt.h"
#include "tensor/dtype.h"

struct cublasLtContext {};
struct cublasLtMatmulDescOpaque_t {
  cublasComputeType_t compute;
  cudaDataType_t scale;
  cublasOperation_t transpose_a = CUBLAS_OP_N, transpose_b = CUBLAS_OP_N;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  const void *bias = nullptr, *auxiliary = nullptr;
  std::int64_t auxiliary_ld = 0;
};
struct cublasLtMatrixLayoutOpaque_t {
  cudaDataType_t type;
  std::int64_t rows, columns, ld;
  std::int32_t batch = 1;
  std::int64_t stride = 0;
};
struct cublasLtMatmulPreferenceOpaque_t {
  std::map<cublasLtMatmulPreferenceAttributes_t, std::uint64_t> values;
};

namespace {

template <class Value>
cublasStatus_t take(Value& to, const void* value, std::size_t bytes) {
  if (bytes != sizeof to) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(&to, value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

bool is_aligned(const void* address, std::uint64_t bytes) {
  return reinterpret_cast<std::uintptr_t>(address) % bytes == 0;
}

/// Rows and columns of op(matrix) are to be these.
bool fits(const cublasLtMatrixLayoutOpaque_t& layout, cublasOperation_t operation,
          std::int64_t rows, std::int64_t columns) {
  if (operation == CUBLAS_OP_T) std::swap(rows, columns);
  return layout.rows == rows && layout.columns == columns && rows > 0 && columns > 0 &&
         layout.ld >= rows;
}

/// TF32 keeps 10 bits of the mantissa.
template <class C>
C rounded(C value, bool tf32) {
  if constexpr (std::is_same_v<C, float>) {
    if (tf32) return __uint_as_float((__float_as_uint(value) + 0x1000u) & ~0x1fffu);
  }
  return value;
}

bool does(const cublasLtMatmulDescOpaque_t& operation, int part) {
  return (operation.epilogue & part) == part;
}

/// The bias, or where sums are written.
template <class Out>
Out* vector_of(const cublasLtMatmulDescOpaque_t& operation) {
  return static_cast<Out*>(const_cast<void*>(operation.bias));
}

/// Half of 1 + tanh(...), the gate of the GELU in its tanh form (Hendrycks and Gimpel 2016).
double gate(double x) {
  return 0.5 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

template <class Out, class C>
C finish(const cublasLtMatmulDescOpaque_t& operation, std::int64_t row, std::int64_t column,
         C sum) {
  auto* auxiliary = static_cast<Out*>(const_cast<void*>(operation.auxiliary));
  const std::int64_t at = column * operation.auxiliary_ld + row;
  if (does(operation, CUBLASLT_EPILOGUE_BIAS)) sum += C(vector_of<Out>(operation)[row]);
  if (does(operation, CUBLASLT_EPILOGUE_GELU_AUX)) auxiliary[at] = Out(sum);
  if (does(operation, CUBLASLT_EPILOGUE_GELU)) sum *= C(gate(double(sum)));
  if (does(operation, CUBLASLT_EPILOGUE_DGELU)) {
    const double x = double(C(auxiliary[at])), g = gate(x);
    const double inner = std::sqrt(2 / M_PI) * (1 + 3 * 0.044715 * x * x);
    sum *= C(g + 2 * x * g * (1 - g) * inner);
  }
  return sum;
}

/// Operands of T, results of Out.
template <class T, class Out, class C = kette::Compute<T>>
void multiply(const cublasLtMatmulDescOpaque_t& operation, C scale, const void* a,
              const cublasLtMatrixLayoutOpaque_t& a_layout, const void* b,
              const cublasLtMatrixLayoutOpaque_t& b_layout, C kept, const void* c, void* d,
              const cublasLtMatrixLayoutOpaque_t& layout) {
  const bool tf32 = operation.compute == CUBLAS_COMPUTE_32F_FAST_TF32;
  const bool transpose_a = operation.transpose_a == CUBLAS_OP_T;
  const bool transpose_b = operation.transpose_b == CUBLAS_OP_T;
  const std::int64_t depth = transpose_a ? a_layout.rows : a_layout.columns;
  const std::int64_t a_step = transpose_a ? 1 : a_layout.ld, b_step = transpose_b ? b_layout.ld : 1;
  for (std::int64_t index = 0; index < layout.batch; ++index) {
    const T* left = static_cast<const T*>(a) + index * a_layout.stride;
    const T* right = static_cast<const T*>(b) + index * b_layout.stride;
    for (std::int64_t column = 0; column < layout.columns; ++column) {
      for (std::int64_t row = 0; row < layout.rows; ++row) {
        const T* x = left + row * (transpose_a ? a_layout.ld : 1);
        const T* y = right + column * (transpose_b ? 1 : b_layout.ld);
        C sum = 0;
        for (std::int64_t p = 0; p < depth; ++p) {
          sum += rounded(C(x[p * a_step]), tf32) * rounded(C(y[p * b_step]), tf32);
        }
        sum *= scale;
        const std::int64_t at = index * layout.stride + column * layout.ld + row;
        if (kept != 0) sum += kept * C(static_cast<const Out*>(c)[at]);
        static_cast<Out*>(d)[at] = Out(finish<Out>(operation, row, column, sum));
      }
    }
  }
  if (does(operation, CUBLASLT_EPILOGUE_DGELU_BGRAD)) {
    for (std::int64_t row = 0; row < layout.rows; ++row) {
      C sum = 0;
      for (std::int64_t column = 0; column < layout.columns; ++column) {
        sum += C(static_cast<const Out*>(d)[column * layout.ld + row]);
      }
      vector_of<Out>(operation)[row] = Out(sum);
    }
  }
  if (does(operation, CUBLASLT_EPILOGUE_BGRADB)) {
    for (std::int64_t column = 0; column < layout.columns; ++column) {
      C sum = 0;
      for (std::int64_t p = 0; p < depth; ++p) {
        sum += C(static_cast<const T*>(b)[column * (transpose_b ? 1 : b_layout.ld) + p * b_step]);
      }
      vector_of<Out>(operation)[column] = Out(sum);
    }
  }
}

}  // namespace

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  static cublasLtContext context;
  return *handle = &context, CUBLAS_STATUS_SUCCESS;
}
const char* cublasLtGetStatusString(cublasStatus_t status) {
  return status == CUBLAS_STATUS_NOT_SUPPORTED ? "not supported" : "invalid value";
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* operation,
                                        cublasComputeType_t compute, cudaDataType_t scale) {
  return *operation = new cublasLtMatmulDescOpaque_t{compute, scale}, CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t operation) {
  return delete operation, CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t operation,
                                              cublasLtMatmulDescAttributes_t attribute,
                                              const void* value, std::size_t bytes) {
  switch (attribute) {
    case CUBLASLT_MATMUL_DESC_TRANSA:
      return take(operation->transpose_a, value, bytes);
    case CUBLASLT_MATMUL_DESC_TRANSB:
      return take(operation->transpose_b, value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
      return take(operation->epilogue, value, bytes);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
      return take(operation->bias, value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER:
      return take(operation->auxiliary, value, bytes);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD:
      return take(operation->auxiliary_ld, value, bytes);
  }
  return CUBLAS_STATUS_INVALID_VALUE;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType_t type,
                                          std::uint64_t rows, std::uint64_t columns,
                                          std::int64_t ld) {
  *layout = new cublasLtMatrixLayoutOpaque_t{type, static_cast<std::int64_t>(rows),
                                             static_cast<std::int64_t>(columns), ld};
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  return delete layout, CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute,
                                                const void* value, std::size_t bytes) {
  return attribute == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT ? take(layout->batch, value, bytes)
                                                         : take(layout->stride, value, bytes);
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  return *preference = new cublasLtMatmulPreferenceOpaque_t, CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  return delete preference, CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void* value, std::size_t bytes) {
  const bool wide = attribute == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES;
  if (bytes != (wide ? 8 : 4)) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(&preference->values[attribute], value, bytes);
  return CUBLAS_STATUS_SUCCESS;
}

/// The algorithm holds the promises it was chosen by: the alignments of A, B, C and D, the
/// workspace. None is found for an epilogue on rows of D that are not whole 16 bytes: a test of the
/// other path.
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t operation,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int,
                                              cublasLtMatmulHeuristicResult_t* results,
                                              int* found) {
  *found = 0;
  const bool f64 = d->type == CUDA_R_64F;
  const std::int64_t depth = operation->transpose_a == CUBLAS_OP_T ? a->rows : a->columns;
  const bool wide = a->type == CUDA_R_16BF && d->type == CUDA_R_32F;
  if ((a->type != d->type && !wide) || b->type != a->type || c->type != d->type ||
      a->batch != d->batch || b->batch != d->batch || c->batch != d->batch ||
      f64 != (operation->compute == CUBLAS_COMPUTE_64F) ||
      operation->scale != (f64 ? CUDA_R_64F : CUDA_R_32F) ||
      !fits(*a, operation->transpose_a, d->rows, depth) ||
      !fits(*b, operation->transpose_b, depth, d->columns) ||
      !fits(*c, CUBLAS_OP_N, d->rows, d->columns) || !fits(*d, CUBLAS_OP_N, d->rows, d->columns)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  const std::int64_t pack = d->type == CUDA_R_16BF ? 8 : 4;
  if (operation->epilogue != CUBLASLT_EPILOGUE_DEFAULT && (f64 || d->ld % pack != 0)) {
    return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  const bool has_auxiliary = (operation->epilogue & 128) != 0;
  if (has_auxiliary && (operation->auxiliary == nullptr || operation->auxiliary_ld % 8 != 0 ||
                        operation->auxiliary_ld < d->rows || d->batch != 1)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  auto& promises = preference->values;
  results[0] = {{{promises[CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES],
                  promises[CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES],
                  promises[CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES],
                  promises[CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES],
                  promises[CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES]}},
                0,
                CUBLAS_STATUS_SUCCESS};
  *found = 1;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t operation, const void* alpha,
                              const void* a, cublasLtMatrixLayout_t a_layout, const void* b,
                              cublasLtMatrixLayout_t b_layout, const void* beta, const void* c,
                              cublasLtMatrixLayout_t, void* d, cublasLtMatrixLayout_t d_layout,
                              const cublasLtMatmulAlgo_t* algorithm, void* workspace,
                              std::size_t workspace_bytes, cudaStream_t stream) {
  const std::uint64_t* promises = algorithm->data;
  if (!is_aligned(a, promises[0]) || !is_aligned(b, promises[1]) || !is_aligned(c, promises[2]) ||
      !is_aligned(d, promises[3]) || workspace_bytes < promises[4] || !is_aligned(workspace, 256)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  // The factors are the host's and read now, as are the descriptions; the rest happens in its turn.
  const auto run = [&]<class T, class Out>(T, Out) {
    using C = kette::Compute<T>;
    const C scale = *static_cast<const C*>(alpha), kept = *static_cast<const C*>(beta);
    emulator::count_launch("cublasLtMatmul");
    emulator::enqueue(stream, [=, operation = *operation, a_layout = *a_layout,
                               b_layout = *b_layout, d_layout = *d_layout] {
      std::memset(workspace, 0xff, 64);
      multiply<T, Out>(operation, scale, a, a_layout, b, b_layout, kept, c, d, d_layout);
    });
  };
  using kette::BFloat16;
  if (a_layout->type == CUDA_R_32F) run(float{}, float{});
  if (a_layout->type == CUDA_R_64F) run(double{}, double{});
  if (a_layout->type == CUDA_R_16BF && d_layout->type == CUDA_R_16BF) run(BFloat16{}, BFloat16{});
  if (a_layout->type == CUDA_R_16BF && d_layout->type == CUDA_R_32F) run(BFloat16{}, float{});
  return CUBLAS_STATUS_SUCCESS;
}
