#include "autograd/ops/softmax.h"

#include <cmath>

#include "autograd/op.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/reduce.h"

namespace kette::ops {
namespace {

/// For both: a row body forward, and one of (y, dy) backward.
template <template <class> class Forward>
Tensor apply(const Tensor& x) {
  KETTE_CHECK(x.width() > 0, "softmax: expected rows of at least one element, given ", x.shape());
  const Tensor y = Tensor::empty(x.shape(), x.dtype(), x.device());
  visit_float(x.dtype(), "softmax", [&]<class T>(T) {
    const Forward<T> body{x.data<T>(), y.data<T>(), x.width()};
    on(x.device(), [&](auto exec) { kernels::for_rows(exec, body, x.rows()); });
  });
  return y;
}

template <template <class> class Backward>
void add_gradient(const Tensor& y, const Tensor& dy, GradientSlot& dx) {
  const Tensor gradient = Tensor::empty(y.shape(), y.dtype(), y.device());
  visit_float(y.dtype(), "softmax", [&]<class T>(T) {
    const Backward<T> body{y.data<T>(), dy.data<T>(), gradient.data<T>(), y.width()};
    on(y.device(), [&](auto exec) { kernels::for_rows(exec, body, y.rows()); });
  });
  dx.add(gradient);
}

std::vector<Sample> softmax_samples(Variable (*call)(const Variable&), bool logarithm) {
  std::vector<Sample> result;
  for (const Shape& shape : {Shape{1}, Shape{3, 5}, Shape{2, 3, 37}}) {
    const auto width = static_cast<std::size_t>(shape.width());
    const auto reference = [width, logarithm](const std::vector<Values>& in) {
      Values y = in[0];
      for (std::size_t at = 0; at < y.size(); at += width) {
        double total = 0;
        for (std::size_t j = at; j < at + width; ++j) total += std::exp(y[j]);
        for (std::size_t j = at; j < at + width; ++j) {
          y[j] = logarithm ? y[j] - std::log(total) : std::exp(y[j]) / total;
        }
      }
      return y;
    };
    const auto applied = [call](const std::vector<Variable>& in) { return call(in[0]); };
    result.push_back({shape.str(), {{shape, -3, 3}}, applied, reference});
  }
  return result;
}

}  // namespace

Tensor Softmax::forward(const Tensor& x) { return y = apply<rows::Softmax>(x); }
void Softmax::backward(const Tensor& dy, GradientSlot& dx) {
  add_gradient<rows::SoftmaxBackward>(y, dy, dx);
}
Variable Softmax::tangent(const std::array<Variable, 1>& /*x*/, const std::array<Variable, 1>& dx,
                          const Variable& probabilities) const {
  const Variable weighted = probabilities * dx[0];
  return weighted - probabilities * sum_to(weighted, dx[0].shape().with(-1, 1));
}

Tensor LogSoftmax::forward(const Tensor& x) { return y = apply<rows::LogSoftmax>(x); }
void LogSoftmax::backward(const Tensor& dy, GradientSlot& dx) {
  add_gradient<rows::LogSoftmaxBackward>(y, dy, dx);
}
Variable LogSoftmax::tangent(const std::array<Variable, 1>& /*x*/,
                             const std::array<Variable, 1>& dx, const Variable& logarithms) const {
  return dx[0] - sum_to(exp(logarithms) * dx[0], dx[0].shape().with(-1, 1));
}

std::vector<Sample> Softmax::samples() { return softmax_samples(softmax, false); }
std::vector<Sample> LogSoftmax::samples() { return softmax_samples(log_softmax, true); }

}  // namespace kette::ops

namespace kette {

Variable softmax(const Variable& x) { return record(ops::Softmax{}, x); }
Variable log_softmax(const Variable& x) { return record(ops::LogSoftmax{}, x); }

}  // namespace kette
