#include "autograd/ops/feed_forward.h"

#include "autograd/op.h"
#include "autograd/ops/products.h"

namespace kette::ops {

Tensor FeedForward::forward(const Tensor& x, const Tensor& inner_weight, const Tensor& inner_bias,
                            const Tensor& outer_weight, const Tensor& outer_bias) {
  KETTE_CHECK(activation != Activation::none, name,
              ": expected an activation between the two maps, given none");
  inner.activation = activation;
  return outer.forward(inner.forward(x, inner_weight, inner_bias), outer_weight, outer_bias);
}

void FeedForward::backward(const Tensor& dy, GradientSlot& dx, GradientSlot& dinner_weight,
                           GradientSlot& dinner_bias, GradientSlot& douter_weight,
                           GradientSlot& douter_bias) {
  const Tensor& hidden = outer.x;
  add_parameter_gradients(dy, hidden, outer.bias, douter_weight, douter_bias);

  const Tensor dhidden = Tensor::empty(hidden.shape(), hidden.dtype(), hidden.device());
  MatmulArgs args = MatmulArgs::of(dhidden, dy, outer.weight);
  args.activation = activation;
  args.kept = inner.saved.raw();
  const bool sums_bias = dinner_bias.wanted();
  const GradientSlot::Buffer sums =
      sums_bias ? dinner_bias.sums(inner.bias) : GradientSlot::Buffer{};
  if (sums_bias) args.column_sums = sums.tensor.raw();
  args.sums_are_zero = sums.zeros;
  on(dy.device(), [&](auto exec) { kernels::matmul(exec, args); });
  if (sums_bias && !sums.adds) dinner_bias.add(sums.tensor);

  if (dx.wanted()) {
    const GradientSlot::Buffer gradient = dx.buffer();
    multiply(gradient.tensor, dhidden, inner.weight, gradient.adds);
  }
  GradientSlot taken;  // unwanted: the bias has its gradient already
  add_parameter_gradients(dhidden, inner.x, Tensor(), dinner_weight, taken);
}

Variable FeedForward::composed(const std::array<Variable, 5>& in) const {
  return linear(linear(in[0], in[1], in[2], activation), in[3], in[4]);
}

std::vector<Sample> FeedForward::samples() {
  const auto sample = [](std::int64_t rows, std::int64_t width, std::int64_t hidden,
                         Activation activation, const char* label, bool biased = true) {
    std::vector<SampleInput> inputs{{{rows, width}}, {{hidden, width}}, {{width, hidden}}};
    if (biased) inputs.insert(inputs.end(), {{{hidden}}, {{width}}});
    return Sample{
        Shape{rows, width}.str() + ", hidden " + std::to_string(hidden) + ", " + label, inputs,
        [=](const std::vector<Variable>& v) {
          const Variable none;
          return feed_forward(v[0], v[1], biased ? v[3] : none, v[2], biased ? v[4] : none,
                              activation);
        },
        [=](const std::vector<Values>& v) {
          const auto map = [](const Values& x, const Values& weight, const Values& bias) {
            const std::size_t out = bias.size(), in = weight.size() / out;
            Values y;
            for (std::size_t row = 0; row < x.size() / in; ++row) {
              for (std::size_t o = 0; o < out; ++o) {
                y.push_back(bias[o]);
                for (std::size_t i = 0; i < in; ++i)
                  y.back() += x[row * in + i] * weight[o * in + i];
              }
            }
            return y;
          };
          const auto bias = [&](std::size_t input, std::int64_t out) {
            return biased ? v[input] : Values(static_cast<std::size_t>(out));
          };
          Values h = map(v[0], v[1], bias(3, hidden));
          for (double& value : h) {
            visit_activation(activation, [&](auto function) { value = function.reference(value); });
          }
          return map(h, v[2], bias(4, width));
        }};
  };
  return {sample(5, 4, 6, Activation::relu, "relu"),
          sample(5, 4, 6, Activation::gelu, "gelu"),
          sample(5, 4, 6, Activation::gelu_erf, "gelu_erf"),
          sample(5, 4, 6, Activation::silu, "silu"),
          sample(67, 16, 40, Activation::gelu, "gelu"),
          sample(300, 8, 16, Activation::relu, "relu"),
          sample(6, 5, 7, Activation::relu, "relu, no biases", false)};
}

}  // namespace kette::ops

namespace kette {

Variable feed_forward(const Variable& x, const Variable& inner_weight, const Variable& inner_bias,
                      const Variable& outer_weight, const Variable& outer_bias,
                      Activation activation) {
  return record(ops::FeedForward{activation}, x, inner_weight, inner_bias, outer_weight,
                outer_bias);
}

}  // namespace kette
