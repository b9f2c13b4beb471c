#include "autograd/ops/linear_cross_entropy.h"

#include "autograd/ops/ids.h"

namespace kette::ops {

Tensor LinearCrossEntropy::forward(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  LinearCrossEntropyArgs args;
  args.x = x;
  args.weight = weight;
  args.bias = bias;
  args.targets = checked_ids(name, targets, weight);
  args.smoothing = options.smoothing;
  args.gradient_scale = options.scale;
  if (Tape::current()) {
    dx = args.dx = Tensor::empty(x.shape(), x.dtype(), x.device());
    const DType sums_dtype = compute_dtype(x.dtype());
    if (weight_trains)
      dweight = args.dweight = Tensor::zeros(weight.shape(), sums_dtype, weight.device());
    if (bias_trains && bias.defined())
      dbias = args.dbias = Tensor::zeros(bias.shape(), sums_dtype, bias.device());
  }
  args.sums = sums.defined() ? sums : CrossEntropySums::zeros(x.device());
  args.loss = Tensor::empty({}, DType::f64, x.device());
  on(x.device(), [&](auto exec) { kernels::linear_cross_entropy(exec, args); });
  return args.loss.to(x.dtype());
}

void LinearCrossEntropy::backward(const Tensor& dy, GradientSlot& dx_slot,
                                  GradientSlot& dweight_slot, GradientSlot& dbias_slot) {
  const auto pass = [&](Tensor& gradient, GradientSlot& slot) {
    if (!slot.wanted() || !gradient.defined()) return;
    on(dy.device(), [&](auto exec) { kernels::scale(exec, gradient, dy); });
    slot.add(std::move(gradient));
  };
  pass(dx, dx_slot);
  pass(dweight, dweight_slot);
  pass(dbias, dbias_slot);
}

std::vector<Sample> LinearCrossEntropy::samples() {
  const auto sample = [](const char* label, std::int64_t rows, std::int64_t width,
                         std::int64_t vocabulary, double smoothing) {
    std::vector<std::int32_t> targets;
    for (std::int64_t r = 0; r < rows; ++r)
      targets.push_back(static_cast<std::int32_t>(r * 5 % vocabulary));
    return Sample{
        label,
        {{{rows, width}}, {{vocabulary, width}}, {{vocabulary}}},
        [=](const std::vector<Variable>& in) {
          return linear_cross_entropy(in[0], in[1], in[2], Tensor::from(targets), {smoothing, 0.5});
        },
        [=](const std::vector<Values>& in) {
          double loss = 0;
          for (std::int64_t r = 0; r < rows; ++r) {
            Values z;
            double total = 0;
            for (std::int64_t v = 0; v < vocabulary; ++v) {
              z.push_back(in[2][v]);
              for (std::int64_t j = 0; j < width; ++j) {
                z.back() += in[0][r * width + j] * in[1][v * width + j];
              }
              total += std::exp(z.back());
            }
            for (std::int64_t v = 0; v < vocabulary; ++v) {
              const double q = smoothing / static_cast<double>(vocabulary) +
                               (v == targets[r] ? 1 - smoothing : 0);
              loss -= q * (z[v] - std::log(total));
            }
          }
          return Values{0.5 * loss};
        }};
  };
  return {sample("3 rows, 7 words", 3, 4, 7, 0),
          sample("5 rows, 11 words, smoothing 0.1", 5, 6, 11, 0.1),
          sample("40 rows, 50 words, smoothing 0.1", 40, 8, 50, 0.1)};
}

}  // namespace kette::ops
