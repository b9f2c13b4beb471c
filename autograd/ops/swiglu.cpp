#include "autograd/ops/swiglu.h"

#include <cmath>

#include "autograd/op.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/shaping.h"

namespace kette::ops {

Tensor SwiGlu::forward(const Tensor& input) {
  KETTE_CHECK(input.shape().rank() >= 1 && input.width() % 2 == 0, name,
              ": expected x [rows, 2 * hidden], given ", input.str());
  x = input;
  const Tensor y = Tensor::empty(x.shape().with(-1, x.width() / 2), x.dtype(), x.device());
  visit_float(x.dtype(), name, [&]<class T>(T) {
    const rows::SwiGlu<T> body{x.data<T>(), y.data<T>(), y.width()};
    on(x.device(), [&](auto exec) { kernels::for_rows(exec, body, y.rows()); });
  });
  return y;
}

void SwiGlu::backward(const Tensor& dy, GradientSlot& dx) {
  const Tensor gradient = Tensor::empty(x.shape(), x.dtype(), x.device());
  visit_float(x.dtype(), name, [&]<class T>(T) {
    const rows::SwiGluBackward<T> body{x.data<T>(), dy.data<T>(), gradient.data<T>(), dy.width()};
    on(x.device(), [&](auto exec) { kernels::for_rows(exec, body, dy.rows()); });
  });
  dx.add(gradient);
}

Variable SwiGlu::composed(const std::array<Variable, 1>& in) const {
  const std::int64_t hidden = in[0].value().width() / 2;
  const Variable flat = reshape(in[0], {in[0].value().rows(), 2 * hidden});
  const Variable y = silu(columns(flat, 0, hidden)) * columns(flat, hidden, 2 * hidden);
  return reshape(y, in[0].shape().with(-1, hidden));
}

std::vector<Sample> SwiGlu::samples() {
  std::vector<Sample> result;
  for (const Shape& shape : {Shape{3, 10}, Shape{2, 3, 66}}) {
    result.push_back(Sample{
        shape.str(),
        {{shape, -3, 3}},
        [](const std::vector<Variable>& in) { return swiglu(in[0]); },
        [hidden = static_cast<std::size_t>(shape.width() / 2)](const std::vector<Values>& in) {
          Values y;
          for (std::size_t i = 0; i < in[0].size(); ++i) {
            if (i / hidden % 2 == 1) continue;  // a value, not a gate
            const double gate = in[0][i], value = in[0][i + hidden];
            y.push_back(gate / (1 + std::exp(-gate)) * value);
          }
          return y;
        }});
  }
  return result;
}

}  // namespace kette::ops

namespace kette {

Variable swiglu(const Variable& x) { return record(ops::SwiGlu{}, x); }

}  // namespace kette
