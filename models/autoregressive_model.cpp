#include "models/autoregressive_model.h"

namespace kette {

Variable AutoregressiveModel::encode(const Tensor&, const Sequences&, Run&) const {
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
  return decode(Tensor::from(batch.target_in),
                PackedSequences(batch.target_segments, memory, batch.source_segments), run);
}

Variable AutoregressiveModel::loss(const Variable& states, const Tensor& targets,
                                   const CrossEntropyOptions& options, const Tensor& sums) const {
  return linear_cross_entropy(states, output().weight, output().bias, targets, options, sums);
}

Variable AutoregressiveModel::loss(const Batch& batch, const CrossEntropyOptions& options, Run& run,
                                   const Tensor& sums) const {
  return run.tap("loss", loss(states(batch, run), Tensor::from(batch.target_out), options, sums));
}

Device AutoregressiveModel::device() const {
  KETTE_CHECK(output().prepacked,
              "decoding: expected a model made ready for it, given one that trains (call "
              "for_decoding())");
  return output().prepacked->panels.device();
}

void AutoregressiveModel::become_snapshot_of(const AutoregressiveModel& other, DType weights) {
  output_map().prepacked = other.output().prepack(weights);
  Model::become_snapshot_of(other, weights);
}

}  // namespace kette
