// Adam with decoupled weight decay (AdamW). The formulas are at AdamArgs in tensor/kernels.h.
#pragma once

#include "train/optimizer.h"

namespace kette {

class Adam final : public Optimizer {
 public:
  Adam(ParamStore& store, const OptimizerOptions& options)
      : Adam(store, options, Shards(store.values().elements())) {}
  /// Keeps moments of, and updates, only the pieces that this process owns.
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
