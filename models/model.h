// The interface of all models for training, adapting, saving and decoding: parameters, linear maps, and the loss of a
// batch. It is a base class of models, not of layers, and does not say how a model computes.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "models/model_config.h"
#include "nn/block.h"

namespace kette {

/// The types of a snapshot for decoding: of its weights, and of keys and values in its cache.
struct DecodingTypes {
  DType weights = DType::f32;  ///< f32, bf16 or, on a CPU, int8
  DType cache = DType::f32;    ///< f32 or bf16

  DecodingTypes() = default;
  DecodingTypes(DType of_weights,
                DType of_cache = DType::f32)  // NOLINT(google-explicit-constructor)
      : weights(of_weights), cache(of_cache) {}
};

/// A stack of blocks. Block i has the heads that attention i of the model has left after pruning.
std::vector<Block> stacked_blocks(const Scope& scope, const ModelConfig& model, std::int64_t layers,
                                  BlockConfig config);

class Model {
 public:
  Model() = default;
  virtual ~Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  ParamStore& parameters() { return store_; }
  const ParamStore& parameters() const { return store_; }
  /// Allocates parameters without values, for a file to fill.
  void allocate(DType dtype, Device device, Gradients gradients);
  /// Allocates parameters with random values.
  void materialize(std::uint64_t seed, DType dtype = DType::f32, Device device = {},
                   Gradients gradients = Gradients::kept);

  virtual const ModelConfig& config() const = 0;
  /// The longest sequence, in tokens.
  virtual std::int64_t positions() const = 0;
  /// The logits of a batch: [target rows, vocabulary], unless the family's class says otherwise.
  virtual Variable logits(const Batch& batch, Run& run) const = 0;
  /// The loss of a batch's targets. sums: CrossEntropySums to add to, or undefined.
  virtual Variable loss(const Batch& batch, const CrossEntropyOptions& options, Run& run,
                        const Tensor& sums = {}) const = 0;

  /// Visits all linear maps except the projection to the vocabulary.
  virtual void each_linear(const VisitLinear& visit) = 0;
  /// The token embeddings. With int8 weights a snapshot for decoding stores them in int8.
  virtual std::vector<Embedding*> token_tables() { return {}; }

 protected:
  /// Computes tables that depend on dtype and device but are not parameters.
  virtual void make_tables(DType, Device) {}
  /// Makes this model an inference snapshot of a model of the same class. Linear maps are prepacked. With int8 weights
  /// token embeddings are int8, too. Everything else is f32.
  /// prepacked: leaves that were prepacked before.
  void become_snapshot_of(const Model& other, DType weights, std::set<const Leaf*> prepacked = {});

  ParamStore store_;
};

}  // namespace kette
