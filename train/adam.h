// Adam over the flat buffers of a ParamStore, in one launch where one process owns all; decoupled weight decay is of
// matrices alone.
#pragma once

#include "nn/param_store.h"
#include "train/shards.h"

namespace kette {

struct AdamOptions {
  double beta1 = 0.9, beta2 = 0.98, epsilon = 1e-9;  ///< Vaswani et al. 2017, section 5.3
  double weight_decay = 0;                           ///< AdamW, Loshchilov and Hutter 2019
};

class Adam {
 public:
  Adam(ParamStore& store, const AdamOptions& options)
      : Adam(store, options, Shards(store.values().elements())) {}
  /// Of the pieces that this process owns: what it has moments of, and updates.
  Adam(ParamStore& store, const AdamOptions& options, const Shards& shards);

  /// One update; the gradients are left as they are.
  void step(double lr) { step(lr, Tensor(), 0); }
  /// Likewise with the gradients clipped to a norm. squares: what sum_of_squares() found of them,
  /// still on their device.
  void step(double lr, const Tensor& squares, double clip_norm);

  const ParamStore& parameters() const { return store_; }
  ParamStore& parameters() { return store_; }
  const Shards& shards() const { return shards_; }
  std::int64_t steps() const { return steps_; }
  void restore(std::int64_t steps) { steps_ = steps; }
  /// The moments, flat like the parameters, or their owned pieces end to end: what a checkpoint stores besides them.
  const Tensor& first_moment() const { return first_moment_; }
  const Tensor& second_moment() const { return second_moment_; }

 private:
  ParamStore& store_;
  AdamOptions options_;
  Shards shards_;
  Tensor first_moment_, second_moment_;
  std::int64_t steps_ = 0;
};

}  // namespace kette
