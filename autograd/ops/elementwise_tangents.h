// Tangents of the functions of tensor/elementwise.h (autograd/tangents.h).
#pragma once

#include "autograd/variable.h"
#include "tensor/elementwise.h"

namespace kette {

/// The tangent of y = function(x), given that of x. It is made of ops: a tape can record it.
Variable tangent_of(const Affine& f, const Variable& x, const Variable& dx, const Variable& y);
Variable tangent_of(const Exp& f, const Variable& x, const Variable& dx, const Variable& y);
Variable tangent_of(const Log& f, const Variable& x, const Variable& dx, const Variable& y);
Variable tangent_of(const Sqrt& f, const Variable& x, const Variable& dx, const Variable& y);
Variable tangent_of(const Square& f, const Variable& x, const Variable& dx, const Variable& y);
Variable tangent_of(const Tanh& f, const Variable& x, const Variable& dx, const Variable& y);
Variable tangent_of(const Sigmoid& f, const Variable& x, const Variable& dx, const Variable& y);
Variable tangent_of(const Relu& f, const Variable& x, const Variable& dx, const Variable& y);
Variable tangent_of(const Gelu& f, const Variable& x, const Variable& dx, const Variable& y);
Variable tangent_of(const NormalCdf& f, const Variable& x, const Variable& dx, const Variable& y);
Variable tangent_of(const GeluErf& f, const Variable& x, const Variable& dx, const Variable& y);
Variable tangent_of(const Silu& f, const Variable& x, const Variable& dx, const Variable& y);
/// Likewise for y = function(a, b).
using Two = std::array<Variable, 2>;
Variable tangent_of(const Add& f, const Two& x, const Two& dx, const Variable& y);
Variable tangent_of(const Subtract& f, const Two& x, const Two& dx, const Variable& y);
Variable tangent_of(const Multiply& f, const Two& x, const Two& dx, const Variable& y);
Variable tangent_of(const Divide& f, const Two& x, const Two& dx, const Variable& y);
Variable tangent_of(const Maximum& f, const Two& x, const Two& dx, const Variable& y);
Variable tangent_of(const Lerp& f, const Two& x, const Two& dx, const Variable& y);

}  // namespace kette
