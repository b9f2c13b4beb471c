#include "decode/packed_layers.h"

#include <cmath>

#include "tensor/kernels.h"

namespace kette {

namespace {

PackedWeight pack(const Tensor& matrix, const Tensor& bias, DType weights) {
  const std::vector<Tensor> biases = bias.defined() ? std::vector{bias} : std::vector<Tensor>();
  return on(matrix.device(),
            [&](auto exec) { return kernels::pack_linear(exec, {matrix}, biases, weights); });
}

}  // namespace

PackedWeight pack_vocabulary(const Tensor& table, const Tensor& bias, DType weights) {
  KETTE_CHECK(
      table.defined(),
      "decoding: expected a model with values, given one without (materialize or load them)");
  return pack(table, bias, weights);
}

void write_to_cache(const Tensor& x, std::int64_t first_column, const CachePlaces& places,
                    const Tensor& cache) {
  const rows::WriteToCache<float> body{x.data<float>() + first_column,
                                       x.width(),
                                       places.table.data<std::int32_t>(),
                                       places.lines.data<std::int32_t>(),
                                       places.positions.data<std::int32_t>(),
                                       places.table.width(),
                                       cache.data<float>(),
                                       cache.width()};
  on(x.device(), [&](auto exec) { kernels::for_rows(exec, body, x.rows()); });
}

Tensor attend_to_cache(const Tensor& x, std::int64_t heads, const CachePlaces& places,
                       const Tensor& cache) {
  const std::int64_t width = cache.width() / 2;
  const Tensor output = Tensor::empty({x.rows(), width}, DType::f32, x.device());
  const double scale = 1 / std::sqrt(static_cast<double>(width / heads));
  const CachedAttentionArgs args{{x.data<float>(), x.width(), output, heads, scale}, cache, places};
  on(x.device(), [&](auto exec) { kernels::cached_attention(exec, args); });
  return output;
}

PackedLinear::PackedLinear(const Linear& linear, DType weights)
    : weight(pack(linear.merged_weight(), linear.bias.value(), weights)),
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
