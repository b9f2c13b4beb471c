// Products with weights laid out beforehand for few rows at a time (tensor/decoding.h): what decoding
// uses in the place of linear(). A row's result has the same bits whatever rows are computed with it.
#pragma once

#include "autograd/variable.h"
#include "tensor/decoding.h"
#include "tensor/int8_matrix.h"

namespace kette {

/// x: f32 [rows, in] -> activation(x W^T + b), f32 [rows, out]. Has no backward: an Error where a tape
/// wants the gradient of x.
Variable prepacked_linear(const Variable& x, const PrepackedWeight& weight, Activation activation);

/// scale * table[id], f32 [rows, width]; ids: i32 [rows], on the host.
Variable rounded_embedding(const Int8Matrix& table, const Tensor& ids, double scale);

}  // namespace kette
