#pragma once

#include <algorithm>
#include <cmath>

#include "autograd/op.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/reduce.h"

struct LogSumExp {
  static constexpr const char* name = "log_sum_exp";
  kette::Tensor x{}, y{};

  /// With the largest element taken out, no exponential is above 1: y = max x + ln sum_j e^(x_j - max x).
  kette::Tensor forward(const kette::Tensor& input) {
    x = input;
    y = kette::Tensor::empty(x.shape().with(-1, 1), x.dtype());
    for (std::int64_t row = 0; row < x.rows(); ++row) {
      const double *begin = x.data<double>() + row * x.width(), *end = begin + x.width();
      const double peak = *std::max_element(begin, end);
      double total = 0;
      for (const double* at = begin; at < end; ++at) total += std::exp(*at - peak);
      y.data<double>()[row] = peak + std::log(total);
    }
    return y;
  }
  /// d y / d x_j = e^(x_j - y): the softmax of the row.
  void backward(const kette::Tensor& dy, kette::GradientSlot& dx) {
    dx.add((exp(kette::Variable(x) - kette::Variable(y)) * kette::Variable(dy)).value());
  }
  kette::Variable tangent(const std::array<kette::Variable, 1>& at,
                          const std::array<kette::Variable, 1>& change,
                          const kette::Variable& result) const {
    return sum_to(exp(at[0] - result) * change[0], result.shape());
  }
};
