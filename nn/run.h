// What a forward pass needs to know besides its inputs: whether it trains, and which random numbers
// are its own. Handed from layer to layer; no layer hides a flag of its own.
#pragma once

#include "tensor/random.h"

namespace kette {

class Run {
 public:
  /// Inference: no dropout.
  Run() = default;
  /// One training step: its dropouts are numbered in the order the model applies them.
  Run(std::uint64_t seed, std::uint64_t step) : training_(true), seed_(seed), step_(step) {}

  bool training() const { return training_; }
  /// The mask of the next dropout; keeps everything when not training.
  DropoutMask mask(double rate) {
    if (!training_ || rate <= 0) return {};
    return DropoutMask(rate, {seed_, (step_ << 16) + next_++});
  }

 private:
  bool training_ = false;
  std::uint64_t seed_ = 0, step_ = 0, next_ = 0;
};

}  // namespace kette
