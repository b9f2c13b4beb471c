#include "models/transformer.h"

#include "models/size_limits.h"

namespace kette {

TransformerConfig TransformerConfig::preset(const std::string& name) {
  TransformerConfig config;
  if (name == "base") return config;
  if (name == "big") {
    config.width = 1024;
    config.hidden = 4096;
    config.heads = 16;
    config.dropout = 0.3;
    return config;
  }
  if (name == "tiny") {
    config.encoder_layers = config.decoder_layers = 4;
    config.width = 128;
    config.hidden = 256;
    config.heads = 4;
    config.vocabulary = 10000;
    config.dropout = 0.3;
    return config;
  }
  fail("preset: expected tiny, base or big, given ", name);
}

void TransformerConfig::check() const {
  check_size("encoder_layers", encoder_layers, kMostLayers);
  check_size("decoder_layers", decoder_layers, kMostLayers);
  check_size("width", width, kMostWidth);
  check_size("hidden", hidden, kMostHidden);
  check_size("heads", heads, width);
  check_size("vocabulary", vocabulary, kMostTokens);
  check_size("max_length", max_length, kMostPositions);
  for (const auto& [what, id] : {std::pair{"pad", special.pad},
                                 {"unknown", special.unknown},
                                 {"begin", special.begin},
                                 {"end", special.end}}) {
    KETTE_CHECK(id >= 0 && id < vocabulary, what, ": expected an id below the vocabulary ",
                vocabulary, ", given ", id);
  }
  KETTE_CHECK(width % heads == 0, "heads: expected a divisor of the width ", width, ", given ",
              heads);
  for (const auto& [what, rate] : {std::pair{"dropout", dropout},
                                   {"attention_dropout", attention_dropout},
                                   {"activation_dropout", activation_dropout}}) {
    KETTE_CHECK(rate >= 0 && rate < 1, what, ": expected a rate in [0, 1), given ", rate);
  }
}

EncoderLayer::EncoderLayer(const Scope& scope, const TransformerConfig& c)
    : self_attention(scope / "self_attention", c.width, c.heads, Mask::none, c.attention_dropout),
      after_self_attention(scope / "self_attention_norm", c.width, c.norm, c.dropout),
      feed_forward(scope / "feed_forward", c.width, c.hidden, c.activation, c.activation_dropout),
      after_feed_forward(scope / "feed_forward_norm", c.width, c.norm, c.dropout) {}

ResidualStream EncoderLayer::operator()(const ResidualStream& x, const Segments& segments,
                                        Run& run) const {
  const ResidualStream attended = after_self_attention(
      x, [&](const Variable& in) { return self_attention(in, segments, run); }, run);
  return after_feed_forward(
      attended, [&](const Variable& in) { return feed_forward(in, run); }, run);
}

DecoderLayer::DecoderLayer(const Scope& scope, const TransformerConfig& c)
    : self_attention(scope / "self_attention", c.width, c.heads, Mask::causal, c.attention_dropout),
      after_self_attention(scope / "self_attention_norm", c.width, c.norm, c.dropout),
      cross_attention(scope / "cross_attention", c.width, c.heads, c.attention_dropout),
      after_cross_attention(scope / "cross_attention_norm", c.width, c.norm, c.dropout),
      feed_forward(scope / "feed_forward", c.width, c.hidden, c.activation, c.activation_dropout),
      after_feed_forward(scope / "feed_forward_norm", c.width, c.norm, c.dropout) {}

ResidualStream DecoderLayer::operator()(const ResidualStream& x, const Variable& memory,
                                        const Segments& segments, const Segments& memory_segments,
                                        Run& run) const {
  const ResidualStream self = after_self_attention(
      x, [&](const Variable& in) { return self_attention(in, segments, run); }, run);
  const ResidualStream crossed = after_cross_attention(
      self,
      [&](const Variable& in) {
        return cross_attention(in, memory, segments, memory_segments, run);
      },
      run);
  return after_feed_forward(
      crossed, [&](const Variable& in) { return feed_forward(in, run); }, run);
}

Transformer::Transformer(const TransformerConfig& config)
    : config_((config.check(), config)),
      embedding_(
          Embedding::scaled(Scope(store_) / "shared_embedding", config.vocabulary, config.width)) {
  const Scope root(store_);
  for (std::int64_t i = 0; i < config.encoder_layers; ++i)
    encoder_.emplace_back(root / "encoder" / i, config);
  for (std::int64_t i = 0; i < config.decoder_layers; ++i)
    decoder_.emplace_back(root / "decoder" / i, config);
  if (config.norm == NormOrder::pre) {
    final_norms_.emplace_back(root / "encoder" / "final_norm", config.width);
    final_norms_.emplace_back(root / "decoder" / "final_norm", config.width);
  }
  if (config.output_bias) {
    output_bias_ = (root / "output").parameter("bias", {config.vocabulary}, Init::constant(0));
  }
}

void Transformer::allocate(DType dtype, Device device, Gradients gradients) {
  store_.allocate(dtype, device, gradients);
  make_tables(dtype, device);
}

void Transformer::materialize(std::uint64_t seed, DType dtype, Device device, Gradients gradients) {
  store_.materialize(seed, dtype, device, gradients);
  make_tables(dtype, device);
}

void Transformer::make_tables(DType dtype, Device device) {
  positions_ = sinusoidal_positions(config_.max_length, config_.width, config_.sinusoids)
                   .to(dtype)
                   .to(device);
}

Variable Transformer::embed(const Tensor& ids, const Tensor& positions, Run& run) const {
  return dropout(add_positions(embedding_(ids), positions_, positions), run.mask(config_.dropout));
}

Variable Transformer::encode(const Tensor& source, const Segments& segments, Run& run) const {
  KETTE_CHECK(segments.longest() <= config_.max_length, "encode: expected sequences of at most ",
              config_.max_length, " tokens, given one of ", segments.longest());
  ResidualStream x = embed(source, row_positions(segments), run);
  for (const EncoderLayer& layer : encoder_) x = layer(x, segments, run);
  return finish_encoder(x);
}

Variable Transformer::decode(const Tensor& target, const Segments& segments, const Variable& memory,
                             const Segments& memory_segments, Run& run) const {
  KETTE_CHECK(segments.longest() <= config_.max_length, "decode: expected sequences of at most ",
              config_.max_length, " tokens, given one of ", segments.longest());
  ResidualStream x = embed(target, row_positions(segments), run);
  for (const DecoderLayer& layer : decoder_) x = layer(x, memory, segments, memory_segments, run);
  return finish_decoder(x);
}

Variable Transformer::finish_encoder(const ResidualStream& x) const {
  return final_norms_.empty() ? x.sum() : x.through(final_norms_[0])[1];
}

Variable Transformer::finish_decoder(const ResidualStream& x) const {
  return final_norms_.empty() ? x.sum() : x.through(final_norms_[1])[1];
}

Variable Transformer::loss(const Variable& states, const Tensor& next,
                           const CrossEntropyOptions& options, const Tensor& sums) const {
  return projected_cross_entropy(states, embedding_.table, output_bias_, next, options, sums);
}

Variable Transformer::logits(const Variable& states) const {
  return linear(states, embedding_.table, output_bias_);
}

}  // namespace kette
