// Matrices in int8: each row is integers q from -127 to 127 times the row's scale,
//   scale = max |row| / 127, rounded up to 17 bits;  q = row / scale, to the nearest, ties to even.
// There is no zero point: the product of two such rows is an exact sum of integers times both
// scales. With a scale of 17 bits each q * scale is exactly an f32, and a row of these values gives
// the same q and scale again, so converting a matrix to f32 and back loses nothing. A row of zeros,
// or of values below 1e-30, becomes zeros. A row that is not finite has the scale NaN.
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
/// The matrix as f32: exactly the values that products use.
Tensor values_of(const Int8Matrix& matrix);
/// factor * the rows with these numbers, i32 on the CPU and valid: f32 [numbers, width].
Tensor rows_of(const Int8Matrix& matrix, const Tensor& numbers, double factor);

}  // namespace kette
