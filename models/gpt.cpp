#include "models/gpt.h"

#include "autograd/ops/dropout.h"
#include "autograd/ops/embedding.h"
#include "autograd/ops/rotary.h"

namespace kette {
namespace {

std::vector<Block> decoder_blocks(const Scope& scope, const GptConfig& c) {
  BlockConfig config = c.block_config();
  config.self_attention = "attention";
  config.norms_first = true;
  return stacked_blocks(scope, c, c.layers, config);
}

/// The token embedding, or a matrix of its own.
Variable output_weight(const Scope& scope, const GptConfig& c, const Embedding& tokens) {
  if (c.tied_output) return tokens.table;
  return scope.parameter("weight", {c.vocabulary, c.width}, Init::normal(kInitialDeviation));
}

}  // namespace

Variable Gpt::decode(const Tensor& ids, const AttentionContext& sequences, Run& run) const {
  const std::optional<Rotation> rotation = Rotation::of(sequences, rotary_table_);
  ResidualStream x = embed(ids, sequences, run);
  for (const Block& block : blocks_) x = block(x, sequences, run, rotation);
  return x.through(final_norm_, run)[1];
}

Variable Gpt::embed(const Tensor& ids, const AttentionContext& sequences, Run& run) const {
  KETTE_CHECK(sequences.longest() <= config_.context, "gpt: expected sequences of at most ",
              config_.context, " tokens, given one of ", sequences.longest());
  Variable x = token_embedding_(ids, run.training());
  if (position_embedding_) {
    x = add_positions(x, position_embedding_->table, sequences.positions());
  }
  return run.tap("", points::embedded, dropout(x, run.mask(config_.dropout)));
}

Gpt::Gpt(const GptConfig& config)
    : config_(checked(config)),
      token_embedding_(Scope(store_) / "token_embedding", config.vocabulary, config.width,
                       kInitialDeviation),
      position_embedding_(position_embedding_of(Scope(store_) / "position_embedding", config)),
      blocks_(decoder_blocks(Scope(store_) / "layers", config)),
      final_norm_(Scope(store_) / "final_norm", config.width, config.norm_kind, config.biases,
                  config.norm_epsilon),
      output_(points::kLogits, output_weight(Scope(store_) / "output", config, token_embedding_),
              Variable()) {}

void Gpt::make_tables(DType dtype, Device device) {
  rotary_table_ = config_.make_rotary_table(dtype, device);
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
