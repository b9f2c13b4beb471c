// The work around a product on CUDA: the part of the epilogue that cuBLASLt cannot do, and sums
// over rows.
#pragma once

#include "tensor/cuda/launch.h"

namespace kette::cuda {

/// C = activation(scale * product + bias) as args ask; also writes args.pre_activation. The product
/// has C's layout and may be C or args.pre_activation itself; with a scale of 0 it is not read.
/// Queues nothing if nothing is left to do.
void finish_product(CudaExec exec, const MatmulArgs& args, const void* product, double scale);

/// dx = dy * activation'(kept) for rows without gaps, in place if dx is dy;
/// kernels::activation_backward says what `kept` is. Unless null, sums += the sums of dx's columns.
template <class T>
void differentiate(CudaExec exec, Activation activation, const T* kept, const T* dy, T* dx,
                   std::int64_t rows, std::int64_t width, Compute<T>* sums);

/// y[j] += sum over rows of x[row * ld + j], for `width` columns.
template <class T>
void add_rows(CudaExec exec, const T* x, std::int64_t rows, std::int64_t width, std::int64_t ld,
              Compute<T>* y);

}  // namespace kette::cuda
