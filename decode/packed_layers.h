// Layers as decoding wants them: every weight packed once for products of few rows
// (tensor/decoding.h), no tape, and a row's result the same bits whatever other rows are computed
// with it. Snapshots: make new ones when the model has changed.
#pragma once

#include <vector>

#include "autograd/tape.h"
#include "nn/layers.h"
#include "tensor/decoding.h"

namespace kette {

PackedWeight pack(const std::vector<Tensor>& matrices, const std::vector<Tensor>& biases);
/// The projection to the vocabulary; bias may be undefined. A model without values is an Error.
PackedWeight pack_vocabulary(const Tensor& table, const Tensor& bias);

/// What model.embed() gives without dropout, in f32 and on no tape.
template <class Model>
Tensor embed(const Model& model, const std::vector<std::int32_t>& ids,
             const std::vector<std::int32_t>& positions) {
  const PauseRecording pause;
  const Device device = model.parameters().values().device();
  Run inference;
  return model.embed(Tensor::from(ids, device), Tensor::from(positions, device), inference)
      .value()
      .to(DType::f32);
}

/// What the attention kernels want to know of queries [rows, ...] whose heads come first.
QueryRows query_rows(const Tensor& query, const Tensor& output, std::int64_t heads);

struct PackedLinear {
  PackedWeight weight;
  Activation activation = Activation::none;

  PackedLinear() = default;
  explicit PackedLinear(const Linear& linear);
  /// Rows [begin, end) of a linear layer's matrix, and of its bias.
  PackedLinear(const Linear& linear, std::int64_t begin, std::int64_t end);

  Tensor operator()(const Tensor& x) const;
  void operator()(const Tensor& x, const Tensor& y) const;
};

struct PackedFeedForward {
  PackedLinear inner, outer;
  bool gated;

  explicit PackedFeedForward(const FeedForward& layer)
      : inner(layer.inner), outer(layer.outer), gated(layer.gated) {}
  Tensor operator()(const Tensor& x) const {
    const Tensor hidden = inner(x);
    return outer(gated ? swiglu(hidden).value() : hidden);
  }
};

/// The layer norm with its values as f32 constants, so that no tape ever takes note of it.
Norm constant(Norm norm);
Residual constant(Residual residual);

}  // namespace kette
