#include "models/gpt.h"

#include <cmath>

namespace kette {
namespace {

/// The residual stream is a sum of 2 * layers outputs; this keeps its variance from growing with
/// them.
MapOptions map_options(const GptConfig& config) {
  return {kInitialDeviation,
          kInitialDeviation / std::sqrt(2.0 * static_cast<double>(config.layers)), config.biases};
}

std::optional<Embedding> position_embedding_of(const Scope& scope, const GptConfig& c) {
  if (c.positions != Positions::learned) return {};
  return Embedding(scope, c.context, c.width, kInitialDeviation);
}

std::vector<Block> decoder_blocks(const Scope& scope, const GptConfig& c) {
  BlockConfig config{.width = c.width,
                     .hidden = c.hidden,
                     .pattern = c.pattern(),
                     .smeared_keys = c.smeared_keys,
                     .norm_order = NormOrder::pre,
                     .norm_kind = c.norm,
                     .norm_epsilon = c.norm_epsilon,
                     .feed_forward = c.feed_forward,
                     .dropout = c.dropout,
                     .attention_dropout = c.attention_dropout,
                     .maps = map_options(c),
                     .self_attention = "attention",
                     .norms_first = true};
  std::vector<Block> blocks;
  for (std::int64_t i = 0; i < c.layers; ++i) {
    config.heads = c.heads_of(i);
    blocks.emplace_back(scope / i, i, config);
  }
  return blocks;
}

/// The token embedding again, or a matrix of its own.
Variable output_weight(const Scope& scope, const GptConfig& c, const Embedding& tokens) {
  if (c.tied_output) return tokens.table;
  return scope.parameter("weight", {c.vocabulary, c.width}, Init::normal(kInitialDeviation));
}

}  // namespace

Variable Gpt::decode(const Tensor& ids, const Sequences& sequences, Run& run) const {
  std::optional<Rotation> rotation;
  if (rotary_table_.defined()) {
    rotation = {rotary_table_, sequences.positions().to(rotary_table_.device())};
  }
  ResidualStream x = embed(ids, sequences, run);
  for (const Block& block : blocks_) x = block(x, sequences, run, rotation ? &*rotation : nullptr);
  return x.through(final_norm_, run)[1];
}

Variable Gpt::embed(const Tensor& ids, const Sequences& sequences, Run& run) const {
  KETTE_CHECK(sequences.longest() <= config_.context, "gpt: expected sequences of at most ",
              config_.context, " tokens, given one of ", sequences.longest());
  Variable x = token_embedding_(ids, run.training());
  if (position_embedding_) {
    x = add_positions(x, position_embedding_->table, sequences.positions());
  }
  return run.tap("embedded", dropout(x, run.mask(config_.dropout)));
}

Gpt::Gpt(const GptConfig& config)
    : config_(checked(config)),
      token_embedding_(Scope(store_) / "token_embedding", config.vocabulary, config.width,
                       kInitialDeviation),
      position_embedding_(position_embedding_of(Scope(store_) / "position_embedding", config)),
      blocks_(decoder_blocks(Scope(store_) / "layers", config)),
      final_norm_(Scope(store_) / "final_norm", config.width, config.norm, config.biases,
                  config.norm_epsilon),
      output_("logits", output_weight(Scope(store_) / "output", config, token_embedding_),
              Variable()) {}

void Gpt::make_tables(DType dtype, Device device) {
  if (config_.positions != Positions::rotary) return;
  rotary_table_ = kette::rotary_table(config_.context, config_.heads_of(0).width,
                                      config_.rotary_base, dtype, device);
}

void Gpt::each_linear(const VisitLinear& visit) {
  for (Block& block : blocks_) block.each_linear(visit);
}

std::unique_ptr<AutoregressiveModel> Gpt::for_decoding(const DecodingTypes& types) const {
  auto copy = std::make_unique<Gpt>(config_);
  copy->become_snapshot_of(*this, types);
  return copy;
}

std::unique_ptr<Model> GptConfig::make_model() const { return std::make_unique<Gpt>(*this); }

}  // namespace kette
