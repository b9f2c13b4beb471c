// The most that a device does, measured on the spot: what rates of training and of generating are
// held against.
#pragma once

#include "cli/common.h"
#include "tensor/tensor.h"

namespace kette::cli {

/// The most that the device multiplies, in GFLOP/s: on the CPU its BLAS in f32, on a GPU a large
/// product in that precision.
double measure_product_gflops(const ComputeOptions& options, int threads);

/// How quickly a GPU copies within its memory, in GB/s; what is read and what is written count.
double measure_copy_gb_per_second(Device device);

/// The most that passes by of a large tensor, in GB/s: on the CPU read by all threads, on a GPU copied.
double measure_stream_gb_per_second(Device device);

/// Normal values, 2^20 of them over and over. A GPU multiplies constants quicker than what a model
/// has: fewer bits flip, so its clock falls less.
Tensor normal_values(Shape shape, DType dtype, Device device);

}  // namespace kette::cli
