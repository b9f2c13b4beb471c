// Softmax and log softmax over the last axis; the maths are in tensor/rows/softmax.h.
#pragma once

#include "autograd/op_types.h"

namespace kette::ops {

struct Softmax {
  static constexpr OpName name = "softmax";
  static constexpr const char* formula = "e^x_j / sum_k e^x_k over the last axis";
  static constexpr const char* signature = "softmax(x)";
  static constexpr const char* about = "Probabilities of each row: [rows..., width] -> the same.";
  Tensor y{};

  Tensor forward(const Tensor& x);
  void backward(const Tensor& dy, GradientSlot& dx);
  Variable tangent(const std::array<Variable, 1>& x, const std::array<Variable, 1>& dx,
                   const Variable& probabilities) const;
  static std::vector<Sample> samples();
};

struct LogSoftmax {
  static constexpr OpName name = "log_softmax";
  static constexpr const char* formula = "x_j - ln sum_k e^x_k over the last axis";
  static constexpr const char* signature = "log_softmax(x)";
  static constexpr const char* about =
      "Log probabilities of each row: [rows..., width] -> the same.";
  Tensor y{};

  Tensor forward(const Tensor& x);
  void backward(const Tensor& dy, GradientSlot& dx);
  Variable tangent(const std::array<Variable, 1>& x, const std::array<Variable, 1>& dx,
                   const Variable& logarithms) const;
  static std::vector<Sample> samples();
};

}  // namespace kette::ops

namespace kette {

Variable softmax(const Variable& x);
Variable log_softmax(const Variable& x);

}  // namespace kette
