#include "autograd/ops/layer_norm.h"

namespace kette {
namespace {

/// Both ops: `op` holds epsilon, sum, gain, mean, rstd.
template <class Op>
Tensor normalize(Op& op, const Tensor& x, const Tensor* residual, const Tensor& gain,
                 const Tensor& bias, const DropoutMask& mask) {
  KETTE_CHECK(gain.elements() == x.width() && bias.elements() == x.width() && x.width() > 0,
              Op::name, ": expected gain and bias of [", x.width(), "] for x ", x.str(), ", given ",
              gain.str(), " and ", bias.str());
  KETTE_CHECK(!residual || residual->shape() == x.shape(), Op::name,
              ": expected a residual of shape ", x.shape(), ", given ",
              residual ? residual->shape() : Shape{});
  op.gain = gain;
  op.sum = residual ? Tensor::empty(x.shape(), x.dtype(), x.device()) : x;
  // f32 under bf16 rows: the digits of mean and rstd are what the gradient lives on.
  op.mean = Tensor::empty({x.rows()}, compute_dtype(x.dtype()), x.device());
  op.rstd = Tensor::empty({x.rows()}, compute_dtype(x.dtype()), x.device());
  const Tensor y = Tensor::empty(x.shape(), x.dtype(), x.device());
  visit_float(x.dtype(), Op::name, [&]<class T>(T) {
    const rows::ResidualLayerNorm<T> body{x.data<T>(),
                                          residual ? residual->data<T>() : nullptr,
                                          gain.data<T>(),
                                          bias.data<T>(),
                                          residual ? op.sum.template data<T>() : nullptr,
                                          y.data<T>(),
                                          op.mean.template data<Compute<T>>(),
                                          op.rstd.template data<Compute<T>>(),
                                          x.width(),
                                          op.epsilon,
                                          mask};
    on(x.device(), [&](auto exec) { kernels::for_rows(exec, body, x.rows()); });
  });
  return y;
}

template <class Op>
void normalize_backward(Op& op, const Tensor& dy, GradientSlot& dx, GradientSlot* dresidual,
                        GradientSlot& dgain, GradientSlot& dbias, const DropoutMask& mask) {
  const Tensor& sum = op.sum;
  // Of a sum both terms want the gradient, so that it must not be added to one of them at once.
  const GradientSlot::Buffer buffer =
      dresidual ? GradientSlot::Buffer{room_over(dy)} : dx.buffer_over(dy);
  const Tensor& dsum = buffer.tensor;
  const bool masked = dresidual && mask.active();
  const Tensor masked_gradient =
      masked ? Tensor::empty(sum.shape(), sum.dtype(), sum.device()) : dsum;
  const GradientSlot::Buffer gain_sums = dgain.sums(op.gain), bias_sums = dbias.sums(op.gain);
  visit_float(sum.dtype(), Op::name, [&]<class T>(T) {
    using C = Compute<T>;
    const rows::ResidualLayerNormBackward<T> body{sum.data<T>(),
                                                  dy.data<T>(),
                                                  op.gain.template data<T>(),
                                                  op.mean.template data<C>(),
                                                  op.rstd.template data<C>(),
                                                  dsum.data<T>(),
                                                  buffer.adds,
                                                  masked ? masked_gradient.data<T>() : nullptr,
                                                  sum.width(),
                                                  mask};
    const rows::LayerNormColumns<T> columns{sum.data<T>(), dy.data<T>(), op.mean.template data<C>(),
                                            op.rstd.template data<C>(), sum.width()};
    const Tensor* const outputs[] = {&gain_sums.tensor, &bias_sums.tensor};
    on(sum.device(),
       [&](auto exec) { kernels::for_rows_with_sums(exec, body, columns, sum.rows(), outputs); });
  });
  if (!gain_sums.adds) dgain.add(gain_sums.tensor);
  if (!bias_sums.adds) dbias.add(bias_sums.tensor);
  if (!buffer.adds) dx.add(dsum);
  if (dresidual) dresidual->add(masked_gradient);
}

/// In plain loops: the layer norm of rows of `width` values.
Values layer_norm_reference(Values x, const Values& gain, const Values& bias, double epsilon) {
  const std::size_t width = gain.size();
  for (std::size_t at = 0; at < x.size(); at += width) {
    double mean = 0, variance = 0;
    for (std::size_t j = 0; j < width; ++j) mean += x[at + j] / static_cast<double>(width);
    for (std::size_t j = 0; j < width; ++j) {
      variance += (x[at + j] - mean) * (x[at + j] - mean) / static_cast<double>(width);
    }
    for (std::size_t j = 0; j < width; ++j) {
      x[at + j] = gain[j] * (x[at + j] - mean) / std::sqrt(variance + epsilon) + bias[j];
    }
  }
  return x;
}

}  // namespace

Tensor Normalize::forward(const Tensor& x, const Tensor& gains, const Tensor& biases) {
  return normalize(*this, x, nullptr, gains, biases, {});
}
void Normalize::backward(const Tensor& dy, GradientSlot& dx, GradientSlot& dgain,
                         GradientSlot& dbias) {
  normalize_backward(*this, dy, dx, nullptr, dgain, dbias, {});
}

Tensor ResidualLayerNorm::forward(const Tensor& x, const Tensor& residual, const Tensor& gains,
                                  const Tensor& biases) {
  return normalize(*this, x, &residual, gains, biases, mask);
}
void ResidualLayerNorm::backward(const Tensor& dy, GradientSlot& dx, GradientSlot& dresidual,
                                 GradientSlot& dgain, GradientSlot& dbias) {
  normalize_backward(*this, dy, dx, &dresidual, dgain, dbias, mask);
}

std::vector<Sample> Normalize::samples() {
  std::vector<Sample> result;
  for (const auto& [shape, shift] :
       {std::pair{Shape{3, 8}, 0.0}, {Shape{2, 33}, 0.0}, {Shape{3, 16}, 100.0}}) {
    result.push_back(
        Sample{shape.str() + (shift != 0 ? " around 100" : ""),
               {{shape, shift - 2, shift + 2}, {{shape.width()}, 0.5, 1.5}, {{shape.width()}}},
               [](const std::vector<Variable>& in) { return layer_norm(in[0], in[1], in[2]); },
               [](const std::vector<Values>& in) {
                 return layer_norm_reference(in[0], in[1], in[2], 1e-5);
               }});
  }
  return result;
}

std::vector<Sample> ResidualLayerNorm::samples() {
  std::vector<Sample> result;
  for (const double rate : {0.0, 0.3}) {
    const DropoutMask mask(rate, {17, 4});
    const Shape shape{4, 150};
    result.push_back(Sample{shape.str() + ", dropout " + std::to_string(rate).substr(0, 3),
                            {{shape}, {shape}, {{shape.width()}, 0.5, 1.5}, {{shape.width()}}},
                            [mask](const std::vector<Variable>& in) {
                              return residual_layer_norm(in[0], in[1], in[2], in[3], mask);
                            },
                            [mask, shape](const std::vector<Values>& in) {
                              Values sum = in[0];
                              for (std::size_t i = 0; i < sum.size(); ++i) {
                                const auto at = static_cast<std::int64_t>(i);
                                const double keep = mask.active()
                                                        ? mask.at(at / shape.width(),
                                                                  at % shape.width(), shape.width())
                                                        : 1.0;
                                sum[i] += keep * in[1][i];
                              }
                              return layer_norm_reference(sum, in[2], in[3], 1e-5);
                            }});
  }
  return result;
}

}  // namespace kette
