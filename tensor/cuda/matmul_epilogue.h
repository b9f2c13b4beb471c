// What surrounds a product on CUDA and is no product: the part of the epilogue that cuBLASLt leaves
// to us, and sums over rows.
#pragma once

#include "tensor/cuda/launch.h"

namespace kette::cuda {

/// C = activation(scale * product + bias) as args ask, with args.pre_activation kept. The product is
/// laid out as C and may be C or args.pre_activation itself; with a scale of 0 it is not read.
/// Queues nothing when nothing is left to do.
void finish_product(CudaExec exec, const MatmulArgs& args, const void* product, double scale);

/// dx = dy * activation'(kept) for rows without gaps, in place if dx is dy; what is kept stands at
/// kernels::activation_backward. Unless sums is null, dx's columns are added up to it.
template <class T>
void differentiate(CudaExec exec, Activation activation, const T* kept, const T* dy, T* dx,
                   std::int64_t rows, std::int64_t width, Compute<T>* sums);

/// y[j] += sum over rows of x[row * ld + j], for `width` columns.
template <class T>
void add_rows(CudaExec exec, const T* x, std::int64_t rows, std::int64_t width, std::int64_t ld,
              Compute<T>* y);

}  // namespace kette::cuda
