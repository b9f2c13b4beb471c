// Matrices in int8: each row is whole numbers q from -127 to 127 times a scale of its own,
//   scale = max |row| / 127, rounded up to 17 bits;  q = row / scale, to the nearest, ties to even.
// Symmetric, so that products of two such rows are one sum of whole numbers, which is exact, times
// their scales. A scale of 17 bits makes each q * scale an f32 exactly, and a row of such numbers
// gives the same q and scale again: nothing is lost when a matrix is taken out of int8 and put back.
// A row of zeros, or of less than 1e-30, is zeros; one that is not finite has the scale NaN.
#pragma once

#include <cstdint>

#include "tensor/tensor.h"

namespace kette {

struct Int8Matrix {
  Tensor values;  ///< int8 [rows, width]
  Tensor scales;  ///< f32 [rows]

  bool defined() const { return values.defined(); }
};

/// matrix: f32 on the CPU.
Int8Matrix rounded_to_int8(const Tensor& matrix);
/// f32, exactly what the products see.
Tensor values_of(const Int8Matrix& matrix);
/// factor * the rows of these numbers, i32 on the CPU and within the matrix: f32 [numbers, width].
Tensor rows_of(const Int8Matrix& matrix, const Tensor& numbers, double factor);

}  // namespace kette
