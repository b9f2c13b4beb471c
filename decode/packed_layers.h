// Layers as decoding wants them: every weight packed once for products of few rows
// (tensor/decoding.h), no tape, and a row's result the same bits whatever other rows are computed
// with it. Weights lie in f32 or bf16; everything else is f32. Snapshots: make new ones when the model
// has changed.
#pragma once

#include <vector>

#include "autograd/tape.h"
#include "nn/layers.h"
#include "tensor/decoding.h"

namespace kette {

/// The projection to the vocabulary; bias may be undefined. A model without values is an Error.
PackedWeight pack_vocabulary(const Tensor& table, const Tensor& bias, DType weights);

/// What model.embed() gives without dropout, in f32 and on no tape; ids and positions: i32 [rows].
template <class Model>
Tensor embed(const Model& model, const Tensor& ids, const Tensor& positions) {
  const PauseRecording pause;
  Run inference;
  return model.embed(ids, positions, inference).value().to(DType::f32);
}

/// Puts keys and values into a layer of a cache: the columns of x from `first_column` on.
void write_to_cache(const Tensor& x, std::int64_t first_column, const CachePlaces& places,
                    const Tensor& cache);
/// softmax(Q K^T / sqrt(head width)) V; the queries are the first columns of x. [rows, width].
Tensor attend_to_cache(const Tensor& x, std::int64_t heads, const CachePlaces& places,
                       const Tensor& cache);

struct PackedLinear {
  PackedWeight weight;
  Activation activation = Activation::none;

  PackedLinear() = default;
  PackedLinear(const Linear& linear, DType weights);
  Tensor operator()(const Tensor& x) const;
  void operator()(const Tensor& x, const Tensor& y) const;
};

struct PackedFeedForward {
  PackedLinear inner, outer;
  bool gated;

  PackedFeedForward(const FeedForward& layer, DType weights)
      : inner(layer.inner, weights), outer(layer.outer, weights), gated(layer.gated) {}
  Tensor operator()(const Tensor& x) const {
    const Tensor hidden = inner(x);
    return outer(gated ? swiglu(hidden).value() : hidden);
  }
};

/// The layer norm with its values as f32 constants, so that no tape ever takes note of it.
Norm constant(Norm norm);
Residual constant(Residual residual);

}  // namespace kette
