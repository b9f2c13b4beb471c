#include "decode/packed_gpt.h"

namespace kette {

PackedGptLayer::PackedGptLayer(const GptLayer& layer, DType weights)
    : attention_residual(constant(layer.attention_residual)),
      query_key_value(layer.attention.query_key_value, weights),
      output(layer.attention.output, weights),
      feed_forward_residual(constant(layer.feed_forward_residual)),
      feed_forward(layer.feed_forward, weights) {}

PackedGpt::PackedGpt(const Gpt& model, DType weights)
    : model_(&model), final_norm_(constant(model.final_norm())) {
  vocabulary_.weight = pack_vocabulary(model.token_embedding().table.value(), {}, weights);
  for (const GptLayer& layer : model.layers()) layers_.emplace_back(layer, weights);
}

Tensor PackedGpt::embed(const Tensor& ids, const Tensor& positions) const {
  return kette::embed(*model_, ids, positions);
}

void PackedGpt::project(const ResidualStream& states, const Tensor& logits) const {
  vocabulary_(states.through(final_norm_)[1].value(), logits);
}

}  // namespace kette
