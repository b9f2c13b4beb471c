#include "models/autoregressive_model.h"

namespace kette {

Variable AutoregressiveModel::encode(const Tensor&, const Sequences&, Run&) const {
  fail("encode: expected a model with an encoder, given one without");
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
