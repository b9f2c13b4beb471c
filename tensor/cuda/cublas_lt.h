// cuBLASLt, NVIDIA's library of matrix products: its functions, and its descriptors as owned
// handles. It is opened at the first product; linking it would add 90 ms to every start of the
// program, on the CPU, too.
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

/// Opens the library on the first call; an Error if there is none.
const CublasLt& cublas_lt();
/// Unless it succeeded, throws an Error with what was tried and the library's answer.
void check(cublasStatus_t status, const char* what);

struct Destroy {
  void operator()(cublasLtMatmulDesc_t handle) const;
  void operator()(cublasLtMatrixLayout_t handle) const;
  void operator()(cublasLtMatmulPreference_t handle) const;
};
template <class Handle>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, Destroy>;

Owned<cublasLtMatmulDesc_t> make_operation(cublasComputeType_t compute, cudaDataType_t scale);
/// The layout of a column-major matrix.
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
