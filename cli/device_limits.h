// Measures the peak rates of a device, to compare training and generation with.
#pragma once

#include "cli/common.h"
#include "tensor/tensor.h"

namespace kette::cli {

/// Matrix products, in GFLOP/s: on the CPU by BLAS in f32, on a GPU a large product in the chosen precision.
double measure_product_gflops(const ComputeOptions& options, int threads);

/// Copies within a GPU's memory, in GB/s; reads and writes both count.
double measure_copy_gb_per_second(Device device);

/// Memory bandwidth, in GB/s: on the CPU all threads read a large tensor, on a GPU it is copied.
double measure_stream_gb_per_second(Device device);

/// 2^20 normal values, repeated. A GPU multiplies constants faster than a model's values, since fewer bits
/// flip and its clock falls less.
Tensor normal_values(Shape shape, DType dtype, Device device);

}  // namespace kette::cli
