// cuBLASLt, NVIDIA's library of matrix products: its functions, and its descriptors as owned
// handles. It is opened at the first product; linked, it would cost every start of the program 90
// ms, on the CPU too.
#pragma once

#include <cublasLt.h>

#include <memory>
#include <type_traits>

#include "tensor/cuda/launch.h"

namespace kette::cuda {

#define KETTE_CUBLAS_LT_FUNCTIONS(each)       \
  each(cublasLtCreate);                       \
  each(cublasLtGetStatusString);              \
  each(cublasLtMatmul);                       \
  each(cublasLtMatmulAlgoGetHeuristic);       \
  each(cublasLtMatmulDescCreate);             \
  each(cublasLtMatmulDescDestroy);            \
  each(cublasLtMatmulDescSetAttribute);       \
  each(cublasLtMatmulPreferenceCreate);       \
  each(cublasLtMatmulPreferenceDestroy);      \
  each(cublasLtMatmulPreferenceSetAttribute); \
  each(cublasLtMatrixLayoutCreate);           \
  each(cublasLtMatrixLayoutDestroy);          \
  each(cublasLtMatrixLayoutSetAttribute)

/// The library's functions, under their own names.
struct CublasLt {
#define KETTE_MEMBER(name) decltype(&::name) name = nullptr
  KETTE_CUBLAS_LT_FUNCTIONS(KETTE_MEMBER);
#undef KETTE_MEMBER
};

/// Opens the library the first time; an Error when there is none.
const CublasLt& cublas_lt();
/// Throws an Error that says what was tried and what the library answered.
void check(cublasStatus_t status, const char* what);

struct Destroy {
  void operator()(cublasLtMatmulDesc_t handle) const;
  void operator()(cublasLtMatrixLayout_t handle) const;
  void operator()(cublasLtMatmulPreference_t handle) const;
};
template <class Handle>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Destroy>;

Owned<cublasLtMatmulDesc_t> make_operation(cublasComputeType_t compute, cudaDataType_t scale);
/// Of a column-major matrix.
Owned<cublasLtMatrixLayout_t> make_layout(cudaDataType_t type, std::int64_t rows,
                                          std::int64_t columns, std::int64_t ld);
Owned<cublasLtMatmulPreference_t> make_preference();

template <class Value>
void set(const Owned<cublasLtMatmulDesc_t>& operation, cublasLtMatmulDescAttributes_t attribute,
         const Value& value) {
  check(
      cublas_lt().cublasLtMatmulDescSetAttribute(operation.get(), attribute, &value, sizeof value),
      "describing a product");
}
template <class Value>
void set(const Owned<cublasLtMatrixLayout_t>& layout, cublasLtMatrixLayoutAttribute_t attribute,
         const Value& value) {
  check(cublas_lt().cublasLtMatrixLayoutSetAttribute(layout.get(), attribute, &value, sizeof value),
        "describing a matrix");
}
template <class Value>
void set(const Owned<cublasLtMatmulPreference_t>& preference,
         cublasLtMatmulPreferenceAttributes_t attribute, const Value& value) {
  check(cublas_lt().cublasLtMatmulPreferenceSetAttribute(preference.get(), attribute, &value,
                                                         sizeof value),
        "describing what kernels may use");
}

}  // namespace kette::cuda
