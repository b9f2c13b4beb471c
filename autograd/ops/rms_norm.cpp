#include "autograd/ops/rms_norm.h"

#include "autograd/op.h"
#include "autograd/ops/reduce.h"

namespace kette::ops {

Tensor RmsNorm::forward(const Tensor& input, const Tensor& gains) {
  KETTE_CHECK(
      gains.elements() == input.width() && input.width() > 0 && gains.dtype() == input.dtype(),
      name, ": expected a gain of ", name_of(input.dtype()), " [", input.width(), "] for x ",
      input.str(), ", given ", gains.str());
  x = input;
  gain = gains;
  reciprocal = Tensor::empty({x.rows()}, compute_dtype(x.dtype()), x.device());
  const Tensor y = Tensor::empty(x.shape(), x.dtype(), x.device());
  visit_float(x.dtype(), name, [&]<class T>(T) {
    const rows::RmsNorm<T> body{x.data<T>(), gain.data<T>(),
                                y.data<T>(), reciprocal.data<Compute<T>>(),
                                x.width(),   epsilon};
    on(x.device(), [&](auto exec) { kernels::for_rows(exec, body, x.rows()); });
  });
  return y;
}

void RmsNorm::backward(const Tensor& dy, GradientSlot& dx, GradientSlot& dgain) {
  const GradientSlot::Buffer out = dx.buffer_over(dy);
  const GradientSlot::Buffer gain_sums = dgain.sums(gain);
  visit_float(x.dtype(), name, [&]<class T>(T) {
    const auto* scale = reciprocal.data<Compute<T>>();
    const rows::RmsNormBackward<T> body{x.data<T>(),          dy.data<T>(), gain.data<T>(), scale,
                                        out.tensor.data<T>(), out.adds,     x.width()};
    const Tensor* const sums[] = {&gain_sums.tensor};
    on(x.device(), [&](auto exec) { kernels::for_rows_with_sums(exec, body, x.rows(), sums); });
  });
  if (!gain_sums.adds) dgain.add(gain_sums.tensor);
  if (!out.adds) dx.add(out.tensor);
}

Variable RmsNorm::composed(const std::array<Variable, 2>& in) const {
  return in[0] / sqrt(affine(mean_last(square(in[0])), 1, epsilon)) * in[1];
}

std::vector<Sample> RmsNorm::samples() {
  std::vector<Sample> result;
  for (const auto& [shape, shift] :
       {std::pair{Shape{3, 8}, 0.0}, {Shape{2, 33}, 0.0}, {Shape{70, 5}, 3.0}}) {
    const auto width = static_cast<std::size_t>(shape.width());
    result.push_back(Sample{shape.str() + (shift != 0 ? " around 3" : ""),
                            {{shape, shift - 2, shift + 2}, {{shape.width()}, 0.5, 1.5}},
                            [](const std::vector<Variable>& in) { return rms_norm(in[0], in[1]); },
                            [width](const std::vector<Values>& in) {
                              Values y = in[0];
                              for (std::size_t at = 0; at < y.size(); at += width) {
                                double squares = 0;
                                for (std::size_t j = 0; j < width; ++j)
                                  squares += y[at + j] * y[at + j];
                                const double root =
                                    std::sqrt(squares / static_cast<double>(width) + 1e-5);
                                for (std::size_t j = 0; j < width; ++j)
                                  y[at + j] *= in[1][j] / root;
                              }
                              return y;
                            }});
  }
  return result;
}

}  // namespace kette::ops

namespace kette {

Variable rms_norm(const Variable& x, const Variable& gain, double epsilon) {
  return record(ops::RmsNorm{epsilon}, x, gain);
}

}  // namespace kette
