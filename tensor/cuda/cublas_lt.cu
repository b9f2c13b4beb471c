// Opens cuBLASLt, and makes and destroys its descriptors. The emulator has its own functions.
#include <dlfcn.h>

#include "tensor/cuda/cublas_lt.h"

namespace kette::cuda {
namespace {

#ifdef KETTE_CUDA_EMULATOR

CublasLt open_library() {
  CublasLt functions;
#define KETTE_FIND(name) functions.name = &::name
  KETTE_CUBLAS_LT_FUNCTIONS(KETTE_FIND);
#undef KETTE_FIND
  return functions;
}

#else

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  KETTE_CHECK(function != nullptr, "cuda: expected cuBLASLt to have ", name,
              ", given a library that lacks it; install CUDA 12 or newer");
}

CublasLt open_library() {
  void* library = nullptr;
  for (const char* name : {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so",
                           "/usr/local/cuda/lib64/libcublasLt.so"}) {
    if (library == nullptr) library = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  }
  KETTE_CHECK(
      library != nullptr,
      "cuda: expected cuBLASLt (libcublasLt.so.13 or .12) for matrix products, given none (",
      dlerror(), "); install CUDA's libraries, or name the folder they are in in LD_LIBRARY_PATH");
  CublasLt functions;
#define KETTE_FIND(name) find(library, #name, functions.name)
  KETTE_CUBLAS_LT_FUNCTIONS(KETTE_FIND);
#undef KETTE_FIND
  return functions;
}

#endif

}  // namespace

const CublasLt& cublas_lt() {
  static const CublasLt functions = open_library();
  return functions;
}

void check(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  fail("cuda: expected ", what, " to work, given \"", cublas_lt().cublasLtGetStatusString(status),
       "\" of cuBLASLt");
}

void Destroy::operator()(cublasLtMatmulDesc_t handle) const {
  cublas_lt().cublasLtMatmulDescDestroy(handle);
}
void Destroy::operator()(cublasLtMatrixLayout_t handle) const {
  cublas_lt().cublasLtMatrixLayoutDestroy(handle);
}
void Destroy::operator()(cublasLtMatmulPreference_t handle) const {
  cublas_lt().cublasLtMatmulPreferenceDestroy(handle);
}

Owned<cublasLtMatmulDesc_t> make_operation(cublasComputeType_t compute, cudaDataType_t scale) {
  cublasLtMatmulDesc_t handle = nullptr;
  check(cublas_lt().cublasLtMatmulDescCreate(&handle, compute, scale), "describing a product");
  return Owned<cublasLtMatmulDesc_t>(handle);
}

Owned<cublasLtMatrixLayout_t> make_layout(cudaDataType_t type, std::int64_t rows,
                                          std::int64_t columns, std::int64_t ld) {
  cublasLtMatrixLayout_t handle = nullptr;
  check(cublas_lt().cublasLtMatrixLayoutCreate(&handle, type, static_cast<std::uint64_t>(rows),
                                               static_cast<std::uint64_t>(columns), ld),
        "describing a matrix");
  return Owned<cublasLtMatrixLayout_t>(handle);
}

Owned<cublasLtMatmulPreference_t> make_preference() {
  cublasLtMatmulPreference_t handle = nullptr;
  check(cublas_lt().cublasLtMatmulPreferenceCreate(&handle), "describing what kernels may use");
  return Owned<cublasLtMatmulPreference_t>(handle);
}

}  // namespace kette::cuda
