#include "models/transformer.h"

#include <algorithm>
#include <cmath>

#include "autograd/ops/dropout.h"
#include "autograd/ops/embedding.h"

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

/// A table for each stack, with the deviation of the embedding table. (Embeddings are scaled to 1
/// before they are added.)
std::optional<Embedding> learned_positions(const Scope& stack, const TransformerConfig& c) {
  if (c.positions != Positions::learned) return {};
  return Embedding(stack / "positions", c.max_length, c.width,
                   1 / std::sqrt(static_cast<double>(c.width)));
}

std::optional<Norm> final_norm(const Scope& stack, const TransformerConfig& c) {
  if (c.norm == NormOrder::post) return {};
  return Norm(stack / "final_norm", c.width);
}

std::optional<Embedding> source_embedding_of(const Scope& scope, const TransformerConfig& c) {
  if (c.source_vocabulary == 0) return {};
  return Embedding::scaled(scope, c.source_vocabulary, c.width);
}

Variable output_bias(const Scope& scope, const TransformerConfig& c) {
  if (!c.output_bias) return {};
  return scope.parameter("bias", {c.vocabulary}, Init::constant(0));
}

/// table [rows, n] in columns [begin, begin + n) of a matrix of zeros: [rows, width].
Tensor in_columns(const Tensor& table, std::int64_t begin, std::int64_t width) {
  if (table.width() == width) return table;
  const auto values = table.values<float>();
  std::vector<float> wide(static_cast<std::size_t>(table.rows() * width));
  for (std::int64_t row = 0; row < table.rows(); ++row) {
    std::copy_n(values.begin() + row * table.width(), table.width(),
                wide.begin() + row * width + begin);
  }
  return Tensor::from(wide, {table.rows(), width});
}

/// The output of a stack: the final norm of pre-norm models, or the sum.
Variable finish(const ResidualStream& x, const std::optional<Norm>& norm, const Run& run) {
  return norm ? x.through(*norm, run)[1] : x.sum();
}

}  // namespace

Variable Transformer::encode(const Tensor& source, const AttentionContext& sequences,
                             Run& run) const {
  ResidualStream x = embed(source_embedding(), source, sequences, sequences.positions(),
                           points::kEncoder, encoder_positions_, run);
  for (const Block& block : encoder_) x = block(x, sequences, run);
  return finish(x, encoder_norm_, run);
}

Variable Transformer::decode(const Tensor& target, const AttentionContext& sequences,
                             Run& run) const {
  ResidualStream x = embed(embedding_, target, sequences, sequences.second_positions(),
                           points::kDecoder, decoder_positions_, run);
  for (const Block& block : decoder_) x = block(x, sequences, run);
  return finish(x, decoder_norm_, run);
}

Variable Transformer::embed(const Embedding& table, const Tensor& ids,
                            const AttentionContext& sequences, const Tensor& second,
                            const char* stack, const std::optional<Embedding>& learned,
                            Run& run) const {
  KETTE_CHECK(sequences.longest() <= config_.max_length, stack, ": expected sequences of at most ",
              config_.max_length, " tokens, given one of ", sequences.longest());
  Variable x =
      add_positions(table(ids, run.training()), learned ? learned->table : Variable(sinusoids_),
                    sequences.positions());
  if (second_sinusoids_.defined()) x = add_positions(x, second_sinusoids_, second);
  return run.tap(stack, points::embedded, dropout(x, run.mask(config_.dropout)));
}

Transformer::Transformer(const TransformerConfig& config)
    : config_(checked(config)),
      embedding_(Embedding::scaled(
          Scope(store_) / (config.source_vocabulary > 0 ? "target_embedding" : "shared_embedding"),
          config.vocabulary, config.width)),
      source_embedding_(source_embedding_of(Scope(store_) / "source_embedding", config)),
      encoder_positions_(learned_positions(Scope(store_) / points::kEncoder, config)),
      decoder_positions_(learned_positions(Scope(store_) / points::kDecoder, config)),
      encoder_(stacked_blocks(Scope(store_) / points::kEncoder, config, config.encoder_layers,
                              block_config(config))),
      decoder_(decoder_blocks(Scope(store_) / points::kDecoder, config)),
      encoder_norm_(final_norm(Scope(store_) / points::kEncoder, config)),
      decoder_norm_(final_norm(Scope(store_) / points::kDecoder, config)),
      output_(points::kLogits, embedding_.table, output_bias(Scope(store_) / "output", config)) {}

void Transformer::make_tables(DType dtype, Device device) {
  const std::int64_t width = config_.width, half = second_positions().exists() ? width / 2 : 0;
  const auto table_at = [&](std::int64_t begin, std::int64_t columns) {
    return in_columns(sinusoidal_positions(config_.max_length, columns, config_.sinusoids), begin,
                      width)
        .to(dtype)
        .to(device);
  };
  if (config_.positions == Positions::sinusoidal) sinusoids_ = table_at(0, width - half);
  if (half > 0) second_sinusoids_ = table_at(width - half, half);
}

void Transformer::each_linear(const VisitLinear& visit) {
  for (Block& block : encoder_) block.each_linear(visit);
  for (Block& block : decoder_) block.each_linear(visit);
}

std::vector<Embedding*> Transformer::token_tables() {
  if (!source_embedding_) return {&embedding_};
  return {&embedding_, &*source_embedding_};
}

std::unique_ptr<AutoregressiveModel> Transformer::for_decoding(const DecodingTypes& types) const {
  auto copy = std::make_unique<Transformer>(config_);
  copy->become_snapshot_of(*this, types);
  return copy;
}

std::unique_ptr<Model> TransformerConfig::make_model() const {
  return std::make_unique<Transformer>(*this);
}

}  // namespace kette
