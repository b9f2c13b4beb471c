// Lion: updates by the sign of the momentum (Chen et al. 2023, "Symbolic Discovery of Optimization Algorithms",
// algorithm 2). The formulas are at LionArgs in tensor/kernels.h.
#pragma once

#include "train/optimizer.h"

namespace kette {

class Lion final : public Optimizer {
 public:
  Lion(ParamStore& store, const OptimizerOptions& options, const Shards& shards)
      : Optimizer(store, options, shards, {"moment"}),
        beta1_(options.beta1),
        beta2_(options.beta2) {}

 private:
  void update(const UpdateArgs& args, std::span<const Tensor> state) override;

  double beta1_, beta2_;
};

}  // namespace kette
