#include "autograd/ops/layer_norm.h"

#include "autograd/op.h"
#include "autograd/ops/dropout.h"
#include "autograd/ops/elementwise.h"
#include "autograd/ops/reduce.h"

namespace kette::ops {
namespace {

/// Both ops: `op` holds epsilon, sum, gain, mean, rstd.
template <class Op>
Tensor normalize(Op& op, const Tensor& x, const Tensor* residual, const Tensor& gain,
                 const Tensor& bias, const DropoutMask& mask) {
  KETTE_CHECK(gain.elements() == x.width() && x.width() > 0 &&
                  (!bias.defined() || bias.elements() == x.width()),
              Op::name, ": expected gain and bias of [", x.width(), "] for x ", x.str(), ", given ",
              gain.str(), " and ", bias.str());
  KETTE_CHECK(!residual || residual->shape() == x.shape(), Op::name,
              ": expected a residual of shape ", x.shape(), ", given ",
              residual ? residual->shape() : Shape{});
  op.gain = gain;
  op.sum = residual ? Tensor::empty(x.shape(), x.dtype(), x.device()) : x;
  // f32 for bf16 rows: the gradient needs the digits of mean and rstd.
  op.mean = Tensor::empty({x.rows()}, compute_dtype(x.dtype()), x.device());
  op.rstd = Tensor::empty({x.rows()}, compute_dtype(x.dtype()), x.device());
  const Tensor y = Tensor::empty(x.shape(), x.dtype(), x.device());
  visit_float(x.dtype(), Op::name, [&]<class T>(T) {
    const rows::ResidualLayerNorm<T> body{x.data<T>(),
                                          residual ? residual->data<T>() : nullptr,
                                          gain.data<T>(),
                                          bias.defined() ? bias.data<T>() : nullptr,
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

/// Writes the gradient of op.sum to dsum, or adds it there. Writes it with the dropout mask to
/// `masked`, if defined.
template <class Op>
void normalize_backward(Op& op, const Tensor& dy, const GradientSlot::Buffer& dsum,
                        const Tensor& masked, GradientSlot& dgain, GradientSlot& dbias,
                        const DropoutMask& mask) {
  const Tensor& sum = op.sum;
  const GradientSlot::Buffer gain_sums = dgain.sums(op.gain), bias_sums = dbias.sums(op.gain);
  visit_float(sum.dtype(), Op::name, [&]<class T>(T) {
    using C = Compute<T>;
    const rows::ResidualLayerNormBackward<T> body{sum.data<T>(),
                                                  dy.data<T>(),
                                                  op.gain.template data<T>(),
                                                  op.mean.template data<C>(),
                                                  op.rstd.template data<C>(),
                                                  dsum.tensor.data<T>(),
                                                  dsum.adds,
                                                  masked.defined() ? masked.data<T>() : nullptr,
                                                  sum.width(),
                                                  mask};
    const Tensor* const outputs[] = {&gain_sums.tensor, &bias_sums.tensor};
    on(sum.device(),
       [&](auto exec) { kernels::for_rows_with_sums(exec, body, sum.rows(), outputs); });
  });
  if (!gain_sums.adds) dgain.add(gain_sums.tensor);
  if (!bias_sums.adds) dbias.add(bias_sums.tensor);
}

/// Layer norm of rows of `width` values in plain loops; bias may be empty.
Values layer_norm_reference(Values x, const Values& gain, const Values& bias, double epsilon) {
  const std::size_t width = gain.size();
  for (std::size_t at = 0; at < x.size(); at += width) {
    double mean = 0, variance = 0;
    for (std::size_t j = 0; j < width; ++j) mean += x[at + j] / static_cast<double>(width);
    for (std::size_t j = 0; j < width; ++j) {
      variance += (x[at + j] - mean) * (x[at + j] - mean) / static_cast<double>(width);
    }
    for (std::size_t j = 0; j < width; ++j) {
      x[at + j] = gain[j] * (x[at + j] - mean) / std::sqrt(variance + epsilon);
      if (!bias.empty()) x[at + j] += bias[j];
    }
  }
  return x;
}

}  // namespace

Tensor LayerNorm::forward(const Tensor& x, const Tensor& gains, const Tensor& biases) {
  return normalize(*this, x, nullptr, gains, biases, {});
}
void LayerNorm::backward(const Tensor& dy, GradientSlot& dx, GradientSlot& dgain,
                         GradientSlot& dbias) {
  const GradientSlot::Buffer dsum = dx.buffer_over(dy);
  normalize_backward(*this, dy, dsum, {}, dgain, dbias, {});
  if (!dsum.adds) dx.add(dsum.tensor);
}

Variable LayerNorm::composed(const std::array<Variable, 3>& in) const {
  const auto& [x, gains, biases] = in;
  const Variable centred = x - mean_last(x);
  const Variable y = centred / sqrt(affine(mean_last(square(centred)), 1, epsilon)) * gains;
  return biases.value().defined() ? y + biases : y;
}

std::array<Variable, 2> ResidualLayerNorm::composed(const std::array<Variable, 4>& in) const {
  const Variable total = in[0] + dropout(in[1], mask);
  return {total, layer_norm(total, in[2], in[3], epsilon)};
}

std::array<Tensor, 2> ResidualLayerNorm::forward(const Tensor& x, const Tensor& residual,
                                                 const Tensor& gains, const Tensor& biases) {
  const Tensor y = normalize(*this, x, &residual, gains, biases, mask);
  return {sum, y};
}
void ResidualLayerNorm::backward(const std::array<Tensor, 2>& gradients, GradientSlot& dx,
                                 GradientSlot& dresidual, GradientSlot& dgain,
                                 GradientSlot& dbias) {
  const auto& [of_sum, of_y] = gradients;
  // First, while nothing shares them: a gradient that nothing else needs is overwritten.
  GradientSlot::Buffer dsum;
  if (of_sum.defined()) {
    dsum = {of_sum.is_sole_owner() ? of_sum : of_sum.clone(), true};
  } else {
    dsum = {room_over(of_y), false};
  }
  const Tensor dy = of_y.defined() ? of_y : Tensor::zeros(sum.shape(), sum.dtype(), sum.device());
  const Tensor masked =
      mask.active() ? Tensor::empty(sum.shape(), sum.dtype(), sum.device()) : Tensor();
  normalize_backward(*this, dy, dsum, masked, dgain, dbias, mask);
  dx.add(dsum.tensor);
  dresidual.add(masked.defined() ? masked : dsum.tensor);
}

std::vector<Sample> LayerNorm::samples() {
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
  const Shape shape{5, 12};
  result.push_back(Sample{
      shape.str() + ", no bias",
      {{shape}, {{shape.width()}, 0.5, 1.5}},
      [](const std::vector<Variable>& in) { return layer_norm(in[0], in[1], Variable()); },
      [](const std::vector<Values>& in) { return layer_norm_reference(in[0], in[1], {}, 1e-5); }});
  return result;
}

std::vector<Sample> ResidualLayerNorm::samples() {
  const Shape shape{4, 150};
  const auto sum_of = [shape](const DropoutMask& mask, const std::vector<Values>& in) {
    Values sum = in[0];
    for (std::size_t i = 0; i < sum.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      sum[i] +=
          in[1][i] *
          (mask.active()
               ? static_cast<double>(mask.at(at / shape.width(), at % shape.width(), shape.width()))
               : 1.0);
    }
    return sum;
  };
  std::vector<Sample> result;
  for (const double rate : {0.0, 0.3}) {
    for (const bool both : {false, true}) {
      const DropoutMask mask(rate, {17, 4});
      result.push_back(Sample{shape.str() + ", dropout " + std::to_string(rate).substr(0, 3) +
                                  (both ? ", sum and norm used" : ""),
                              {{shape}, {shape}, {{shape.width()}, 0.5, 1.5}, {{shape.width()}}},
                              [=](const std::vector<Variable>& in) {
                                const auto [sum, y] =
                                    residual_layer_norm(in[0], in[1], in[2], in[3], mask);
                                return both ? affine(sum, 0.5) + y : y;
                              },
                              [=](const std::vector<Values>& in) {
                                const Values sum = sum_of(mask, in);
                                Values y = layer_norm_reference(sum, in[2], in[3], 1e-5);
                                for (std::size_t i = 0; both && i < y.size(); ++i)
                                  y[i] += 0.5 * sum[i];
                                return y;
                              }});
    }
  }
  return result;
}

}  // namespace kette::ops

namespace kette {

Variable layer_norm(const Variable& x, const Variable& gain, const Variable& bias, double epsilon) {
  return record(ops::LayerNorm{epsilon}, x, gain, bias);
}

std::array<Variable, 2> residual_layer_norm(const Variable& x, const Variable& residual,
                                            const Variable& gain, const Variable& bias,
                                            const DropoutMask& mask, double epsilon) {
  return record(ops::ResidualLayerNorm{epsilon, mask}, x, residual, gain, bias);
}

}  // namespace kette
