#include "decode/packed_transformer.h"

#include "tensor/backend.h"
#include "tensor/kernels.h"

namespace kette {

PackedEncoderLayer::PackedEncoderLayer(const EncoderLayer& layer, DType weights)
    : query_key_value(layer.self_attention.query_key_value, weights),
      output(layer.self_attention.output, weights),
      after_self_attention(constant(layer.after_self_attention)),
      feed_forward(layer.feed_forward, weights),
      after_feed_forward(constant(layer.after_feed_forward)) {}

PackedDecoderLayer::PackedDecoderLayer(const DecoderLayer& layer, DType weights)
    : query_key_value(layer.self_attention.query_key_value, weights),
      output(layer.self_attention.output, weights),
      after_self_attention(constant(layer.after_self_attention)),
      memory_query(layer.cross_attention.query, weights),
      memory_key_value(layer.cross_attention.key_value, weights),
      memory_output(layer.cross_attention.output, weights),
      after_cross_attention(constant(layer.after_cross_attention)),
      feed_forward(layer.feed_forward, weights),
      after_feed_forward(constant(layer.after_feed_forward)) {}

PackedTransformer::PackedTransformer(const Transformer& model, DType weights) : model_(&model) {
  vocabulary_ =
      pack_vocabulary(model.shared_embedding().table.value(), model.output_bias().value(), weights);
  for (const EncoderLayer& layer : model.encoder()) encoder_.emplace_back(layer, weights);
  for (const DecoderLayer& layer : model.decoder()) decoder_.emplace_back(layer, weights);
}

DType PackedTransformer::dtype() const { return model_->shared_embedding().table.value().dtype(); }

Tensor PackedTransformer::embed(const Tensor& ids, const Tensor& positions) const {
  return kette::embed(*model_, ids, positions);
}

Tensor PackedTransformer::encode(const std::vector<std::int32_t>& source,
                                 const Segments& segments) const {
  const PauseRecording pause;
  Run run;
  ResidualStream x(embed(Tensor::from(source), row_positions(segments)));
  for (const PackedEncoderLayer& layer : encoder_) {
    const auto attend = [&](const Variable& in) {
      const Variable fused(layer.query_key_value(in.value()));
      return Variable(
          layer.output(self_attention(fused, segments, {config().heads, Mask::none, {}}).value()));
    };
    x = layer.after_self_attention(x, attend, run);
    x = layer.after_feed_forward(
        x, [&](const Variable& in) { return Variable(layer.feed_forward(in.value())); }, run);
  }
  return model_->finish_encoder(Variable(x.sum().value().to(dtype()))).value().to(DType::f32);
}

Tensor PackedTransformer::finish_decoder(const ResidualStream& x) const {
  const PauseRecording pause;
  return model_->finish_decoder(Variable(x.sum().value().to(dtype()))).value().to(DType::f32);
}

Predictions PackedTransformer::predict(const Tensor& states, std::int64_t count,
                                       const Tensor& banned, const Tensor& targets) const {
  const std::int64_t rows = states.rows();
  // One behind the other, so that one copy brings them all.
  const Tensor answer = Tensor::empty({rows * (2 * count + 1)}, DType::i32, device());
  TopEntriesArgs args;
  args.weight = &vocabulary_;
  args.states = states;
  args.banned = banned;
  args.targets = targets;
  args.entries = answer.view(0, {rows, count});
  args.values = answer.view(rows * count, {rows, count}).bits_as(DType::f32);
  args.target_values = answer.view(2 * rows * count, {rows}).bits_as(DType::f32);
  on(device(), [&](auto exec) { kernels::top_entries(exec, args); });
  const auto copy = backend(device()).start_copy_to_host(answer.raw(), answer.bytes());
  const auto* entries = static_cast<const std::int32_t*>(copy->wait());
  const auto* values = reinterpret_cast<const float*>(entries + rows * count);
  const float* target_values = values + rows * count;
  return {count,
          {values, target_values},
          {entries, entries + rows * count},
          {target_values, target_values + rows}};
}

}  // namespace kette
