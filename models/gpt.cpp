#include "models/gpt.h"

#include <cmath>

#include "models/config_json.h"
#include "models/size_limits.h"

namespace kette {
namespace {

constexpr double kDeviation = 0.02;

/// The residual stream is a sum of 2 * layers outputs; this keeps its variance from growing with
/// them.
WeightInit weight_init(const GptConfig& config) {
  return {kDeviation, kDeviation / std::sqrt(2.0 * static_cast<double>(config.layers))};
}

std::optional<Embedding> position_embedding_of(const Scope& scope, const GptConfig& c) {
  if (c.positions == Positions::rotary) return {};
  return Embedding(scope, c.context, c.width, kDeviation);
}

std::vector<Block> decoder_blocks(const Scope& scope, const GptConfig& c) {
  const BlockConfig config{.width = c.width,
                           .hidden = c.hidden,
                           .heads = c.heads,
                           .mask = Mask::causal,
                           .norm_order = NormOrder::pre,
                           .norm_kind = c.norm,
                           .feed_forward = c.feed_forward,
                           .dropout = c.dropout,
                           .attention_dropout = c.attention_dropout,
                           .init = weight_init(c),
                           .self_attention = "attention",
                           .norms_first = true};
  std::vector<Block> blocks;
  for (std::int64_t i = 0; i < c.layers; ++i) blocks.emplace_back(scope / i, i, config);
  return blocks;
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
  Variable x = token_embedding_(ids);
  if (position_embedding_) {
    x = add_positions(x, position_embedding_->table, sequences.positions());
  }
  return run.tap("embedded", dropout(x, run.mask(config_.dropout)));
}

Variable Gpt::loss(const Variable& states, const Tensor& targets,
                   const CrossEntropyOptions& options, const Tensor& sums) const {
  return linear_cross_entropy(states, output_.weight, output_.bias, targets, options, sums);
}

Variable Gpt::loss(const Batch& batch, const CrossEntropyOptions& options, Run& run,
                   const Tensor& sums) const {
  const Variable states =
      decode(Tensor::from(batch.target_in), PackedSequences(batch.target_segments), run);
  return loss(states, Tensor::from(batch.target_out), options, sums);
}

Gpt::Gpt(const GptConfig& config)
    : config_(checked(config)),
      token_embedding_(Scope(store_) / "token_embedding", config.vocabulary, config.width,
                       kDeviation),
      position_embedding_(position_embedding_of(Scope(store_) / "position_embedding", config)),
      blocks_(decoder_blocks(Scope(store_) / "layers", config)),
      final_norm_(Scope(store_) / "final_norm", config.width, config.norm),
      output_("logits", token_embedding_.table, Variable()) {}

void Gpt::make_tables(DType dtype, Device device) {
  if (config_.positions == Positions::learned) return;
  constexpr double kBase = 10000;
  rotary_table_ =
      kette::rotary_table(config_.context, config_.width / config_.heads, kBase, dtype, device);
}

void Gpt::each_linear(const VisitLinear& visit) {
  for (Block& block : blocks_) block.each_linear(visit);
}

std::unique_ptr<AutoregressiveModel> Gpt::for_decoding(DType weights) const {
  auto copy = std::make_unique<Gpt>(config_);
  copy->become_snapshot_of(*this, weights);
  return copy;
}

std::string Gpt::config_json() const { return to_json(config_); }

}  // namespace kette
