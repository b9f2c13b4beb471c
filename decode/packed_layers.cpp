#include "decode/packed_layers.h"

#include <cmath>

#include "tensor/kernels.h"

namespace kette {

PackedWeight pack(const std::vector<Tensor>& matrices, const std::vector<Tensor>& biases) {
  return on(matrices.front().device(),
            [&](auto exec) { return kernels::pack_linear(exec, matrices, biases); });
}

PackedWeight pack_vocabulary(const Tensor& table, const Tensor& bias) {
  KETTE_CHECK(
      table.defined(),
      "decoding: expected a model with values, given one without (materialize or load them)");
  return pack({table}, bias.defined() ? std::vector{bias} : std::vector<Tensor>());
}

QueryRows query_rows(const Tensor& query, const Tensor& output, std::int64_t heads) {
  const auto head_width = static_cast<double>(output.width() / heads);
  return {query.data<float>(), query.width(), output, heads, 1 / std::sqrt(head_width)};
}

PackedLinear::PackedLinear(const Linear& linear)
    : PackedLinear(linear, 0, linear.weight.value().rows()) {}

PackedLinear::PackedLinear(const Linear& linear, std::int64_t begin, std::int64_t end)
    : weight(pack({linear.merged_weight().slice(begin, end)},
                  {linear.bias.value().slice(begin, end)})),
      activation(linear.activation) {}

Tensor PackedLinear::operator()(const Tensor& x) const {
  const Tensor y = Tensor::empty({x.rows(), weight.out}, DType::f32, x.device());
  (*this)(x, y);
  return y;
}

void PackedLinear::operator()(const Tensor& x, const Tensor& y) const {
  on(x.device(), [&](auto exec) { kernels::packed_linear(exec, {&weight, x, y, activation}); });
}

Norm constant(Norm norm) {
  norm.gain = norm.gain.value().to(DType::f32);
  if (norm.bias.value().defined()) norm.bias = norm.bias.value().to(DType::f32);
  return norm;
}

Residual constant(Residual residual) {
  residual.norm = constant(residual.norm);
  return residual;
}

}  // namespace kette
