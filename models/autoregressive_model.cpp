#include "models/autoregressive_model.h"

#include <algorithm>
#include <set>

#include "autograd/ops/ids.h"
#include "autograd/ops/linear_cross_entropy.h"

namespace kette {
namespace {

/// Of the targets; undefined without a second stream.
Tensor second_positions_of(const Batch& batch, const PositionStream& stream) {
  if (!stream.exists()) return {};
  std::vector<std::int32_t> all;
  for (std::int64_t i = 0; i < batch.target_segments.count(); ++i) {
    std::int32_t position = 0;
    const std::int64_t begin = batch.target_segments.begin(i);
    for (std::int64_t row = begin; row < batch.target_segments.end(i); ++row) {
      // At a hole (train/consistency.h) the previous row's target is the hidden token.
      const bool is_hole = batch.target_in[row] == kNoEntry;
      position += stream.advance(is_hole ? batch.target_out[row - 1] : batch.target_in[row]);
      all.push_back(position);
    }
  }
  return Tensor::from(all);
}

}  // namespace

Variable AutoregressiveModel::encode(const Tensor&, const AttentionContext&, Run&) const {
  fail("encode: expected a model with an encoder, given one without");
}

const std::vector<Block>& AutoregressiveModel::encoder() const {
  static const std::vector<Block> none;
  return none;
}

Variable AutoregressiveModel::states(const Batch& batch, Run& run) const {
  if (!has_encoder()) {
    return decode(Tensor::from(batch.target_in), PackedSequences(batch.target_segments), run);
  }
  const Variable memory =
      encode(Tensor::from(batch.source), PackedSequences(batch.source_segments), run);
  const PackedSequences targets(batch.target_segments, memory, batch.source_segments,
                                second_positions_of(batch, second_positions()));
  return decode(Tensor::from(batch.target_in), targets, run);
}

Variable AutoregressiveModel::loss(const Variable& states, const Tensor& targets,
                                   const CrossEntropyOptions& options, const Tensor& sums) const {
  return linear_cross_entropy(states, output().weight, output().bias, targets, options, sums);
}

Variable AutoregressiveModel::loss(const Batch& batch, const CrossEntropyOptions& options, Run& run,
                                   const Tensor& sums) const {
  return run.tap(points::kLoss,
                 loss(states(batch, run), Tensor::from(batch.target_out), options, sums));
}

Device AutoregressiveModel::device() const {
  KETTE_CHECK(output().prepacked,
              "decoding: expected a model made ready for it, given one that trains (call "
              "for_decoding())");
  return output().prepacked->panels.device();
}

void AutoregressiveModel::become_snapshot_of(const AutoregressiveModel& other,
                                             const DecodingTypes& types) {
  const auto [weights, cache] = types;
  const Device device = other.parameters().values().device();
  KETTE_CHECK(cache == DType::f32 || cache == DType::bf16,
              "cache: expected f32 or bf16 for keys and values, given ", name_of(cache));
  cache_type_ = cache;
  KETTE_CHECK(weights != DType::int8 || device.takes_int8_weights(),
              "weights: expected f32 or bf16 on ", device.str(),
              ", given int8, which is for a CPU (take bf16)");
  output_map().prepacked = other.output().prepack(weights);
  const Leaf* projection = output().weight.leaf().get();
  const std::vector<Embedding*> tables = token_tables();
  const bool is_tied = std::any_of(tables.begin(), tables.end(), [&](const Embedding* table) {
    return table->table.leaf().get() == projection;  // which is looked up, too
  });
  Model::become_snapshot_of(other, weights,
                            is_tied ? std::set<const Leaf*>() : std::set{projection});
}

}  // namespace kette
