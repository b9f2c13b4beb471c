// Products with weights that were packed for few rows at a time (tensor/decoding.h). Decoding uses
// them instead of linear(). The bits of a row's result do not depend on the other rows.
#pragma once

#include "autograd/variable.h"
#include "tensor/decoding.h"
#include "tensor/int8_matrix.h"

namespace kette {

/// x: f32 [rows, in] -> activation(x W^T + b), f32 [rows, out]. Has no backward: an Error if a tape
/// wants the gradient of x.
Variable prepacked_linear(const Variable& x, const PrepackedWeight& weight, Activation activation);

/// scale * table[id], f32 [rows, width]. ids: i32 [rows], on the host.
Variable rounded_embedding(const Int8Matrix& table, const Tensor& ids, double scale);

}  // namespace kette
