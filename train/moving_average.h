// The exponential moving average of the parameters of a run, which is validated and kept in their place
// (Polyak and Juditsky 1992; with the warm-up of Szegedy et al. 2016's code, so that the first steps are soon
// forgotten):
//   average = average + (1 - d) (parameters - average),   d = min(decay, (1 + step) / (10 + step))
#pragma once

#include "nn/param_store.h"
#include "train/communicator.h"

namespace kette {

class MovingAverage {
 public:
  /// Starts at the values the store has now. Of several processes each keeps that of its pieces.
  MovingAverage(ParamStore& store, double decay, const Shards& shards, Communicator& communicator);
  /// After step number `step`, from 1.
  void update(std::int64_t step);

  /// Flat like the store's, or the owned pieces end to end.
  const Tensor& values() const { return values_; }

  /// While it lives, the store holds the average, in all processes.
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
