#include "nn/linear_attention.h"

#include <cmath>

#include "autograd/ops/elementwise.h"
#include "autograd/ops/linear_attention.h"
#include "autograd/ops/matmul.h"
#include "autograd/ops/reduce.h"
#include "nn/cached_sequences.h"
#include "nn/probabilities.h"
#include "tensor/kernels.h"
#include "tensor/observer.h"

namespace kette {
namespace {

Tensor take_steps(const Tensor& qkv, const AttentionOptions& options, const CachePlaces& places,
                  const Tensor& states) {
  const Tensor output =
      Tensor::empty({qkv.rows(), options.query_width(qkv.width())}, DType::f32, qkv.device());
  const LinearStepArgs args{qkv, states, output, options.heads, options.pattern, places};
  const Work work("linear_attention_step", {&qkv}, {&output});
  on(qkv.device(), [&](auto exec) { kernels::linear_attention_step(exec, args); });
  return output;
}

/// phi(x) = elu(x) + 1, composed of existing ops.
Variable features(const Variable& x) {
  return relu(x) + exp(affine(relu(affine(x, -1, 0)), -1, 0));
}

/// 1 where a query attends to a key, 0 elsewhere.
Tensor seen(const Tensor& bias) {
  std::vector<double> values = bias.to(DType::f64).values<double>();
  for (double& value : values) value = std::isinf(value) ? 0 : 1;
  return Tensor::from(values, bias.shape()).to(bias.dtype()).to(bias.device());
}

/// The weights of each row, normalised. queries: [heads, w, rows], keys: [heads, w, length].
Variable feature_weights(const Variable& queries, const Variable& keys, const Tensor& bias) {
  const Variable weights = matmul(features(queries), features(keys), true) * seen(bias);
  const Shape& shape = weights.shape();
  const Variable totals =
      affine(sum_to(weights, {shape[0], shape[1], 1}), 1, linear_weights::kEpsilon);
  return weights / totals;
}

class LinearAttention final : public Mixer {
 public:
  Variable attend(const Variable& qkv, const AttentionContext& sequences, std::int64_t layer,
                  const AttentionOptions& options) const override {
    if (const CachedRows* rows = sequences.cached())
      return take_steps(qkv.value(), options, rows->places, rows->past->layer(layer));
    return linear_attention(qkv, *sequences.segments(), options);
  }
  Variable probabilities(const AttentionInputs& inputs, std::int64_t heads) const override {
    return attention_probabilities(inputs, heads, feature_weights);
  }
  SlotLayout slots(const HeadShape& heads, const AttentionPattern& pattern, DType) const override {
    const std::int64_t width =
        heads.count / pattern.group * linear_weights::state_size(heads.width);
    return SlotLayout::state(width);
  }
};

}  // namespace

std::shared_ptr<const Mixer> linear_attention_mixer(const Scope&, const HeadShape&) {
  static const auto mixer = std::make_shared<const LinearAttention>();
  return mixer;
}

}  // namespace kette
