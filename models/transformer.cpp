#include "models/transformer.h"

namespace kette {
namespace {

BlockConfig block_config(const TransformerConfig& c) {
  return {.width = c.width,
          .hidden = c.hidden,
          .norm_order = c.norm,
          .feed_forward = c.feed_forward,
          .dropout = c.dropout,
          .attention_dropout = c.attention_dropout,
          .activation_dropout = c.activation_dropout};
}

std::vector<Block> encoder_blocks(const Scope& scope, const TransformerConfig& c) {
  BlockConfig config = block_config(c);
  std::vector<Block> blocks;
  for (std::int64_t i = 0; i < c.encoder_layers; ++i) {
    config.heads = c.heads_of(i);
    blocks.emplace_back(scope / i, i, config);
  }
  return blocks;
}

std::vector<Block> decoder_blocks(const Scope& scope, const TransformerConfig& c) {
  BlockConfig config = block_config(c);
  config.pattern = Mask::causal;
  config.attends_to_memory = true;
  std::vector<Block> blocks;
  for (std::int64_t i = 0; i < c.decoder_layers; ++i) {
    config.heads = c.heads_of(c.encoder_layers + i);
    config.cross_heads = c.heads_of(c.encoder_layers + c.decoder_layers + i);
    blocks.emplace_back(scope / i, i, config);
  }
  return blocks;
}

std::optional<Norm> final_norm(const Scope& stack, const TransformerConfig& c) {
  if (c.norm == NormOrder::post) return {};
  return Norm(stack / "final_norm", c.width);
}

Variable output_bias(const Scope& scope, const TransformerConfig& c) {
  if (!c.output_bias) return {};
  return scope.parameter("bias", {c.vocabulary}, Init::constant(0));
}

/// After the stack: the final norm of pre-norm models.
Variable finish(const ResidualStream& x, const std::optional<Norm>& norm, const Run& run) {
  return norm ? x.through(*norm, run)[1] : x.sum();
}

}  // namespace

Variable Transformer::encode(const Tensor& source, const Sequences& sequences, Run& run) const {
  ResidualStream x = embed(source, sequences, "encoder", run);
  for (const Block& block : encoder_) x = block(x, sequences, run);
  return finish(x, encoder_norm_, run);
}

Variable Transformer::decode(const Tensor& target, const Sequences& sequences, Run& run) const {
  ResidualStream x = embed(target, sequences, "decoder", run);
  for (const Block& block : decoder_) x = block(x, sequences, run);
  return finish(x, decoder_norm_, run);
}

Variable Transformer::embed(const Tensor& ids, const Sequences& sequences, const char* stack,
                            Run& run) const {
  KETTE_CHECK(sequences.longest() <= config_.max_length, stack, ": expected sequences of at most ",
              config_.max_length, " tokens, given one of ", sequences.longest());
  const Variable x =
      add_positions(embedding_(ids, run.training()), positions_, sequences.positions());
  return run.tap(stack, "embedded", dropout(x, run.mask(config_.dropout)));
}

Transformer::Transformer(const TransformerConfig& config)
    : config_(checked(config)),
      embedding_(
          Embedding::scaled(Scope(store_) / "shared_embedding", config.vocabulary, config.width)),
      encoder_(encoder_blocks(Scope(store_) / "encoder", config)),
      decoder_(decoder_blocks(Scope(store_) / "decoder", config)),
      encoder_norm_(final_norm(Scope(store_) / "encoder", config)),
      decoder_norm_(final_norm(Scope(store_) / "decoder", config)),
      output_("logits", embedding_.table, output_bias(Scope(store_) / "output", config)) {}

void Transformer::make_tables(DType dtype, Device device) {
  positions_ = sinusoidal_positions(config_.max_length, config_.width, config_.sinusoids)
                   .to(dtype)
                   .to(device);
}

void Transformer::each_linear(const VisitLinear& visit) {
  for (Block& block : encoder_) block.each_linear(visit);
  for (Block& block : decoder_) block.each_linear(visit);
}

std::unique_ptr<AutoregressiveModel> Transformer::for_decoding(DType weights) const {
  auto copy = std::make_unique<Transformer>(config_);
  copy->become_snapshot_of(*this, weights);
  return copy;
}

std::unique_ptr<Model> TransformerConfig::make_model() const {
  return std::make_unique<Transformer>(*this);
}

}  // namespace kette
