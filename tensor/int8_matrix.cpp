#include "tensor/int8_matrix.h"

#include "tensor/cpu/int8_rows.h"
#include "tensor/cpu/parallel.h"

namespace kette {
namespace {

constexpr std::int64_t kRowsAtOnce = 16;

void widen(const Int8Matrix& matrix, std::int64_t row, float factor, float* to) {
  const std::int64_t width = matrix.values.width();
  const std::int8_t* values = matrix.values.data<std::int8_t>() + row * width;
  const float scale = matrix.scales.data<float>()[row];
  for (std::int64_t p = 0; p < width; ++p) {
    to[p] = factor * (scale * static_cast<float>(values[p]));
  }
}

}  // namespace

Int8Matrix rounded_to_int8(const Tensor& matrix) {
  const std::int64_t rows = matrix.rows(), width = matrix.width();
  const Int8Matrix rounded{Tensor::empty(matrix.shape(), DType::int8), Tensor::empty({rows})};
  const float* from = matrix.data<float>();
  auto* to = rounded.values.data<std::int8_t>();
  auto* scales = rounded.scales.data<float>();
  cpu::parallel_blocks(rows, kRowsAtOnce, width, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      scales[row] = cpu::round_row(from + row * width, width, to + row * width).scale;
    }
  });
  return rounded;
}

Tensor values_of(const Int8Matrix& matrix) {
  const Tensor wide = Tensor::empty(matrix.values.shape());
  const std::int64_t rows = wide.rows(), width = wide.width();
  cpu::parallel_blocks(rows, kRowsAtOnce, width, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      widen(matrix, row, 1, wide.data<float>() + row * width);
    }
  });
  return wide;
}

Tensor rows_of(const Int8Matrix& matrix, const Tensor& numbers, double factor) {
  const std::int64_t count = numbers.elements(), width = matrix.values.width();
  const Tensor rows = Tensor::empty({count, width});
  const auto* number = numbers.data<std::int32_t>();
  for (std::int64_t i = 0; i < count; ++i) {
    widen(matrix, number[i], static_cast<float>(factor), rows.data<float>() + i * width);
  }
  return rows;
}

}  // namespace kette
