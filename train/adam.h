// Adam, its decay decoupled (AdamW); the maths stand at AdamArgs in tensor/kernels.h.
#pragma once

#include "train/optimizer.h"

namespace kette {

class Adam final : public Optimizer {
 public:
  Adam(ParamStore& store, const OptimizerOptions& options)
      : Adam(store, options, Shards(store.values().elements())) {}
  /// Of the pieces that this process owns: what it has moments of, and updates.
  Adam(ParamStore& store, const OptimizerOptions& options, const Shards& shards)
      : Optimizer(store, options, shards, {"first_moment", "second_moment"}),
        beta1_(options.beta1),
        beta2_(options.beta2),
        epsilon_(options.epsilon) {}

 private:
  void update(const UpdateArgs& args, std::span<const Tensor> state) override;

  double beta1_, beta2_, epsilon_;
};

}  // namespace kette
