// The exponential moving average of the parameters, which is validated and saved in their place (Polyak and
// Juditsky 1992). With the warm-up of Szegedy et al. 2016's code, the first steps soon lose their weight:
//   average = average + (1 - d) (parameters - average),   d = min(decay, (1 + step) / (10 + step))
#pragma once

#include "nn/param_store.h"
#include "train/communicator.h"

namespace kette {

class MovingAverage {
 public:
  /// Starts at the store's values. Each process keeps the average of the pieces it owns.
  MovingAverage(ParamStore& store, double decay, const Shards& shards, Communicator& communicator);
  /// Call it after step number `step`, from 1.
  void update(std::int64_t step);

  /// [elements] like the store's values, or the owned pieces end to end.
  const Tensor& values() const { return values_; }

  /// While it lives, the store holds the average. All processes must create it.
  class Shown {
   public:
    explicit Shown(MovingAverage& average) : average_(average) { average_.swap(); }
    ~Shown() { average_.swap(); }
    Shown(const Shown&) = delete;
    Shown& operator=(const Shown&) = delete;

   private:
    MovingAverage& average_;
  };

 private:
  void swap();

  ParamStore& store_;
  double decay_;
  Shards shards_;
  Communicator& communicator_;
  Tensor values_;
};

}  // namespace kette
