// Rows of f32 rounded to int8 (tensor/int8_matrix.h): weights once, the rows of x in every call.
#pragma once

#include <cstdint>

#include "tensor/cpu/int8_path.h"
#include "tensor/cpu/scratch.h"
#include "tensor/decoding.h"

namespace kette::cpu {

struct RoundedRow {
  float scale;
  std::int32_t sum;  ///< of the values
};
RoundedRow round_row(const float* row, std::int64_t width, std::int8_t* to);

/// The rows of x in int8, for one kernel call.
class RoundedRows {
 public:
  explicit RoundedRows(const Tensor& x);
  Int8Rows from(std::int64_t row) const { return all_.from(row); }

 private:
  std::int64_t stride_;
  Scratch<std::int8_t> values_;
  Scratch<std::int32_t> sums_;
  Scratch<float> scales_;
  Int8Rows all_;
};

/// weight: with int8 panels; bias and scales are padded to whole panels.
void pack_int8(const Tensor& matrix, const PrepackedWeight& weight);

/// y[i, j] = x[i] . W[column + j] + bias[column + j] for `rows` rows of x and `columns` (at most a
/// panel's) rows of W. column: a multiple of kInt8Panel.
void multiply_int8_panel(std::int64_t rows, const Int8Rows& x, const PrepackedWeight& weight,
                         std::int64_t column, std::int64_t columns, float* y,
                         std::int64_t y_stride);

}  // namespace kette::cpu
