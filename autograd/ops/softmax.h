// Softmax and log softmax over the last axis; the maths stand in tensor/rows/softmax.h.
#pragma once

#include "autograd/op.h"
#include "autograd/ops/reduce.h"

namespace kette::ops {

/// Both are a row body forward and a row body of (y, dy) backward.
template <template <class> class Forward, template <class> class Backward>
struct SoftmaxLike {
  Tensor y{};

  Tensor forward(const Tensor& x) {
    KETTE_CHECK(x.width() > 0, "softmax: expected rows of at least one element, given ", x.shape());
    y = Tensor::empty(x.shape(), x.dtype(), x.device());
    visit_float(x.dtype(), "softmax", [&]<class T>(T) {
      const Forward<T> body{x.data<T>(), y.data<T>(), x.width()};
      on(x.device(), [&](auto exec) { kernels::for_rows(exec, body, x.rows()); });
    });
    return y;
  }
  void backward(const Tensor& dy, GradientSlot& dx) {
    const Tensor gradient = Tensor::empty(y.shape(), y.dtype(), y.device());
    visit_float(y.dtype(), "softmax", [&]<class T>(T) {
      const Backward<T> body{y.data<T>(), dy.data<T>(), gradient.data<T>(), y.width()};
      on(y.device(), [&](auto exec) { kernels::for_rows(exec, body, y.rows()); });
    });
    dx.add(gradient);
  }
};

struct Softmax : SoftmaxLike<rows::Softmax, rows::SoftmaxBackward> {
  static constexpr OpName name = "softmax";
  static constexpr const char* formula = "e^x_j / sum_k e^x_k over the last axis";
  Variable tangent(const std::array<Variable, 1>&, const std::array<Variable, 1>& dx,
                   const Variable& probabilities) const {
    const Variable weighted = probabilities * dx[0];
    return weighted - probabilities * sum_to(weighted, dx[0].shape().with(-1, 1));
  }
  static std::vector<Sample> samples();
};

struct LogSoftmax : SoftmaxLike<rows::LogSoftmax, rows::LogSoftmaxBackward> {
  static constexpr OpName name = "log_softmax";
  static constexpr const char* formula = "x_j - ln sum_k e^x_k over the last axis";
  Variable tangent(const std::array<Variable, 1>&, const std::array<Variable, 1>& dx,
                   const Variable& logarithms) const {
    return dx[0] - sum_to(exp(logarithms) * dx[0], dx[0].shape().with(-1, 1));
  }
  static std::vector<Sample> samples();
};

}  // namespace kette::ops

namespace kette {

inline Variable softmax(const Variable& x) { return record(ops::Softmax{}, x); }
inline Variable log_softmax(const Variable& x) { return record(ops::LogSoftmax{}, x); }

}  // namespace kette

namespace kette::ops {

inline std::vector<Sample> softmax_samples(Variable (*call)(const Variable&), bool logarithm) {
  std::vector<Sample> result;
  for (const Shape& shape : {Shape{1}, Shape{3, 5}, Shape{2, 3, 37}}) {
    result.push_back(Sample{shape.str(),
                            {{shape, -3, 3}},
                            [call](const std::vector<Variable>& in) { return call(in[0]); },
                            [width = static_cast<std::size_t>(shape.width()),
                             logarithm](const std::vector<Values>& in) {
                              Values y = in[0];
                              for (std::size_t at = 0; at < y.size(); at += width) {
                                double total = 0;
                                for (std::size_t j = at; j < at + width; ++j)
                                  total += std::exp(y[j]);
                                for (std::size_t j = at; j < at + width; ++j) {
                                  y[j] =
                                      logarithm ? y[j] - std::log(total) : std::exp(y[j]) / total;
                                }
                              }
                              return y;
                            }});
  }
  return result;
}
inline std::vector<Sample> Softmax::samples() { return softmax_samples(softmax, false); }
inline std::vector<Sample> LogSoftmax::samples() { return softmax_samples(log_softmax, true); }

}  // namespace kette::ops
