// What all models are to those who train, adapt, save and decode them: parameters, linear maps, and
// the loss of a batch. A base class of models, not of layers: how a model computes is its own affair.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "models/model_config.h"
#include "nn/block.h"

namespace kette {

/// What a model made ready for decoding keeps its weights, and keys and values of the past, in.
struct DecodingTypes {
  DType weights = DType::f32;  ///< f32, bf16 or, on a CPU, int8
  DType cache = DType::f32;    ///< f32 or bf16

  DecodingTypes() = default;
  DecodingTypes(DType of_weights,
                DType of_cache = DType::f32)  // NOLINT(google-explicit-constructor)
      : weights(of_weights), cache(of_cache) {}
};

/// A stack whose attentions are the first ones of the model's, with the heads that they have left.
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
  /// Only makes room for the values, which come from a file.
  void allocate(DType dtype, Device device, Gradients gradients);
  /// Random values.
  void materialize(std::uint64_t seed, DType dtype = DType::f32, Device device = {},
                   Gradients gradients = Gradients::kept);

  virtual const ModelConfig& config() const = 0;
  /// The longest sequence, in tokens.
  virtual std::int64_t positions() const = 0;
  /// What it predicts for a batch: [target rows, vocabulary], or as the family says.
  virtual Variable logits(const Batch& batch, Run& run) const = 0;
  /// The loss of a batch's targets. sums: a CrossEntropySums to add to, or undefined.
  virtual Variable loss(const Batch& batch, const CrossEntropyOptions& options, Run& run,
                        const Tensor& sums = {}) const = 0;

  /// All linear maps but the one onto the vocabulary.
  virtual void each_linear(const VisitLinear& visit) = 0;
  /// The tables of tokens, which may lie in int8 for decoding.
  virtual std::vector<Embedding*> token_tables() { return {}; }

 protected:
  /// What depends on type and place of the values and is no parameter.
  virtual void make_tables(DType, Device) {}
  /// Becomes a snapshot of a model of the same kind that only computes forward: the linear maps
  /// prepacked, with weights in int8 the tables of tokens in int8, too, all else f32. prepacked: what is that already.
  void become_snapshot_of(const Model& other, DType weights, std::set<const Leaf*> prepacked = {});

  ParamStore store_;
};

}  // namespace kette
