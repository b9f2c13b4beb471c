// How fast this machine reads memory: the limit of everything that touches each weight once.
#pragma once

#include "tensor/tensor.h"

namespace kette::cpu {

/// How long all threads together take to read an f32 tensor once, each its own share.
double seconds_to_read(const Tensor& values);

}  // namespace kette::cpu
