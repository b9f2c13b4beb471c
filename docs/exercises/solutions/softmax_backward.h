#pragma once

#include <cstdint>

/// d y_j / d x_i = y_j ([i = j] - y_i), so dx_i = y_i (dy_i - sum_j y_j dy_j).
inline void softmax_backward(const double* y, const double* dy, double* dx, std::int64_t width) {
  double dot = 0;
  for (std::int64_t j = 0; j < width; ++j) dot += y[j] * dy[j];
  for (std::int64_t i = 0; i < width; ++i) dx[i] = y[i] * (dy[i] - dot);
}
