#include "decode/packed_transformer.h"

#include "tensor/kernels.h"

namespace kette {
Tensor layer_of(const Tensor& keys_values, std::int64_t layer) {
  const Shape& shape = keys_values.shape();
  return keys_values.slice(layer, layer + 1).reshaped({shape[1], shape[2]});
}

PackedEncoderLayer::PackedEncoderLayer(const EncoderLayer& layer)
    : query_key_value(layer.self_attention.query_key_value),
      output(layer.self_attention.output),
      after_self_attention(constant(layer.after_self_attention)),
      feed_forward(layer.feed_forward),
      after_feed_forward(constant(layer.after_feed_forward)) {}

PackedDecoderLayer::PackedDecoderLayer(const DecoderLayer& layer)
    : output(layer.self_attention.output),
      after_self_attention(constant(layer.after_self_attention)),
      memory_query(layer.cross_attention.query),
      memory_key_value(layer.cross_attention.key_value),
      memory_output(layer.cross_attention.output),
      after_cross_attention(constant(layer.after_cross_attention)),
      feed_forward(layer.feed_forward),
      after_feed_forward(constant(layer.after_feed_forward)) {
  const Linear& fused = layer.self_attention.query_key_value;
  const std::int64_t width = fused.weight.value().width();
  query = PackedLinear(fused, 0, width);
  key_value = PackedLinear(fused, width, 3 * width);
}

PackedTransformer::PackedTransformer(const Transformer& model) : model_(&model) {
  vocabulary_ =
      pack_vocabulary(model.shared_embedding().table.value(), model.output_bias().value());
  for (const EncoderLayer& layer : model.encoder()) encoder_.emplace_back(layer);
  for (const DecoderLayer& layer : model.decoder()) decoder_.emplace_back(layer);
}

DType PackedTransformer::dtype() const { return model_->shared_embedding().table.value().dtype(); }

Tensor PackedTransformer::embed(const std::vector<std::int32_t>& ids,
                                const std::vector<std::int32_t>& positions) const {
  return kette::embed(*model_, ids, positions);
}

Tensor PackedTransformer::encode(const std::vector<std::int32_t>& source,
                                 const Segments& segments) const {
  const std::int64_t width = config().width;
  std::vector<std::int32_t> positions;
  MemoryAttentionArgs args;
  args.key_stride = 3 * width;
  for (std::int64_t i = 0; i < segments.count(); ++i) {
    for (std::int64_t t = 0; t < segments.length(i); ++t) {
      positions.push_back(static_cast<std::int32_t>(t));
      args.lengths.push_back(segments.length(i));
    }
  }
  args.keys.resize(positions.size());
  Run run;
  ResidualStream x(embed(source, positions));
  for (const PackedEncoderLayer& layer : encoder_) {
    const auto attend = [&](const Variable& in) {
      const Tensor fused = layer.query_key_value(in.value());
      const Tensor heads = Tensor::empty(in.shape(), DType::f32, fused.device());
      for (std::int64_t i = 0; i < segments.count(); ++i) {
        const float* first = fused.data<float>() + segments.begin(i) * args.key_stride + width;
        std::fill(args.keys.begin() + segments.begin(i), args.keys.begin() + segments.end(i),
                  first);
      }
      args.rows = query_rows(fused, heads, config().heads);
      on(heads.device(), [&](auto exec) { kernels::memory_attention(exec, args); });
      return Variable(layer.output(heads));
    };
    x = layer.after_self_attention(x, attend, run);
    x = layer.after_feed_forward(
        x, [&](const Variable& in) { return Variable(layer.feed_forward(in.value())); }, run);
  }
  const PauseRecording pause;
  const Tensor memory =
      model_->finish_encoder(Variable(x.sum().value().to(dtype()))).value().to(DType::f32);
  const auto layers = static_cast<std::int64_t>(decoder_.size());
  const Tensor keys_values =
      Tensor::empty({layers, memory.rows(), 2 * width}, DType::f32, memory.device());
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    decoder_[static_cast<std::size_t>(layer)].memory_key_value(memory,
                                                               layer_of(keys_values, layer));
  }
  return keys_values;
}

Tensor PackedTransformer::finish_decoder(const ResidualStream& x) const {
  const PauseRecording pause;
  return model_->finish_decoder(Variable(x.sum().value().to(dtype()))).value().to(DType::f32);
}

Predictions PackedTransformer::predict(const Tensor& states, std::int64_t count,
                                       const std::vector<std::int32_t>& banned,
                                       const std::vector<std::int32_t>& targets) const {
  const std::int64_t rows = states.rows();
  TopEntriesArgs args;
  args.weight = &vocabulary_;
  args.states = states;
  args.banned = banned;
  args.targets = Tensor::from(targets, device());
  args.target_values = Tensor::empty({rows}, DType::f32, device());
  args.values = Tensor::empty({rows, count}, DType::f32, device());
  args.entries = Tensor::empty({rows, count}, DType::i32, device());
  on(device(), [&](auto exec) { kernels::top_entries(exec, args); });
  return {count, args.values.values<float>(), args.entries.values<std::int32_t>(),
          args.target_values.values<float>()};
}

}  // namespace kette
