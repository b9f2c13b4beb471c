#include "models/bert.h"

#include "autograd/ops/dropout.h"
#include "autograd/ops/embedding.h"
#include "autograd/ops/linear_cross_entropy.h"

namespace kette {
namespace {

Norm bert_norm(const Scope& scope, const BertConfig& c) {
  return Norm(scope, c.width, c.norm_kind, c.biases, c.norm_epsilon);
}

std::optional<Embedding> segment_embedding_of(const Scope& scope, const BertConfig& c) {
  if (c.segments == 0) return {};
  return Embedding(scope, c.segments, c.width, kInitialDeviation);
}

std::optional<Norm> final_norm_of(const Scope& scope, const BertConfig& c) {
  if (c.norm == NormOrder::post) return {};
  return bert_norm(scope, c);
}

Linear head_map_of(const Scope& scope, const BertConfig& c) {
  const bool gated = c.feed_forward == FeedForwardKind::swiglu;
  const Activation activation = gated ? Activation::gelu_erf : activation_of(c.feed_forward);
  return Linear(scope, c.width, c.width, c.map_options(c.norm).reading(1, activation));
}

Variable output_bias(const Scope& scope, const BertConfig& c) {
  if (!c.biases) return {};
  return scope.parameter("bias", {c.vocabulary}, Init::constant(0));
}

}  // namespace

Variable BertEncoder::operator()(const Tensor& ids, const AttentionContext& sequences, Run& run,
                                 const Tensor& types) const {
  const std::optional<Rotation> rotation = Rotation::of(sequences, rotary_table_);
  ResidualStream x = embed(ids, sequences, run, types);
  for (const Block& block : blocks) x = block(x, sequences, run, rotation);
  return final_norm ? x.through(*final_norm, run)[1] : x.sum();
}

Variable BertEncoder::operator()(const Batch& batch, Run& run) const {
  const Tensor types = batch.source_types.empty() ? Tensor() : Tensor::from(batch.source_types);
  return (*this)(Tensor::from(batch.source), PackedSequences(batch.source_segments), run, types);
}

Variable BertEncoder::embed(const Tensor& ids, const AttentionContext& sequences, Run& run,
                            const Tensor& types) const {
  KETTE_CHECK(sequences.longest() <= config_.context, "bert: expected texts of at most ",
              config_.context, " tokens, given one of ", sequences.longest());
  Variable x = token_embedding(ids);
  if (position_embedding) {
    x = add_positions(x, position_embedding->table, sequences.positions());
  }
  if (segment_embedding) {
    const Tensor parts = types.defined() ? types : Tensor::zeros({ids.elements()}, DType::i32);
    x = add_positions(x, segment_embedding->table, parts);
  }
  const Variable normed = embedding_norm(x, run);
  return run.tap("", points::embedded, dropout(normed, run.mask(config_.dropout)));
}

BertEncoder::BertEncoder(const Scope& scope, const BertConfig& config)
    : token_embedding(scope / "token_embedding", config.vocabulary, config.width,
                      kInitialDeviation),
      position_embedding(position_embedding_of(scope / "position_embedding", config)),
      segment_embedding(segment_embedding_of(scope / "segment_embedding", config)),
      embedding_norm(bert_norm(scope / "embedding_norm", config)),
      blocks(stacked_blocks(scope / "layers", config, config.layers,
                            config.block_config(config.norm))),
      final_norm(final_norm_of(scope / "final_norm", config)),
      config_(config) {}

void BertEncoder::each_linear(const VisitLinear& visit) {
  for (Block& block : blocks) block.each_linear(visit);
}

void BertEncoder::make_tables(DType dtype, Device device) {
  rotary_table_ = config_.make_rotary_table(dtype, device);
}

Variable Bert::head(const Variable& states, Run& run) const {
  return head_norm_(head_map_(states, run), run);
}

Variable Bert::masked_rows(const Batch& batch, Run& run) const {
  const Variable states = encoder_(batch, run);
  // Selected before the head, so that its maps and the projection cost only the masked rows.
  return head(embedding(states, rows_of_places(batch.target_in, batch.source_segments,
                                               batch.target_segments)),
              run);
}

Variable Bert::logits(const Batch& batch, Run& run) const {
  return output_(masked_rows(batch, run), run);
}

Variable Bert::loss(const Batch& batch, const CrossEntropyOptions& options, Run& run,
                    const Tensor& sums) const {
  return run.tap(points::kLoss,
                 linear_cross_entropy(masked_rows(batch, run), output_.weight, output_.bias,
                                      Tensor::from(batch.target_out), options, sums));
}

Bert::Bert(const BertConfig& config)
    : config_(checked(config)),
      encoder_(Scope(store_), config),
      head_map_(head_map_of(Scope(store_) / "head" / "map", config)),
      head_norm_(bert_norm(Scope(store_) / "head" / "norm", config)),
      output_(points::kLogits, encoder_.token_embedding.table,
              output_bias(Scope(store_) / "output", config)) {}

void Bert::each_linear(const VisitLinear& visit) {
  encoder_.each_linear(visit);
  visit(head_map_, {{"head"}});
}

std::unique_ptr<Bert> Bert::for_decoding(DType weights) const {
  auto copy = std::make_unique<Bert>(config_);
  copy->output_.prepacked = output_.prepack(weights);
  copy->become_snapshot_of(*this, weights);
  return copy;
}

std::unique_ptr<Model> BertConfig::make_model() const { return std::make_unique<Bert>(*this); }

Tensor rows_of_places(const std::vector<std::int32_t>& places, const Segments& texts,
                      const Segments& targets) {
  KETTE_CHECK(targets.count() == texts.count() && targets.rows() == std::ssize(places),
              "bert: expected a place for each of ", targets.rows(), " masked tokens of ",
              texts.count(), " texts, given ", places.size(), " of ", targets.count());
  std::vector<std::int32_t> rows;
  for (std::int64_t text = 0; text < texts.count(); ++text) {
    for (std::int64_t i = targets.begin(text); i < targets.end(text); ++i) {
      KETTE_CHECK(places[i] >= 0 && places[i] < texts.length(text),
                  "bert: expected a place in a text of ", texts.length(text), " tokens, given ",
                  places[i]);
      rows.push_back(static_cast<std::int32_t>(texts.begin(text)) + places[i]);
    }
  }
  return Tensor::from(rows);
}

}  // namespace kette
