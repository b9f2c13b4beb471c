// Dropout (Srivastava et al. 2014; Vaswani et al. 2017, section 5.4); the maths are in
// tensor/rows/dropout.h.
#pragma once

#include "autograd/op_types.h"
#include "tensor/random.h"

namespace kette::ops {

struct Dropout {
  static constexpr OpName name = "dropout";
  static constexpr bool kIsLinear = true;
  static constexpr const char* formula = "x * mask / (1 - rate)";
  static constexpr const char* signature = "dropout(x, rate, seed=0)";
  static constexpr const char* about =
      "Drops elements at random, the same ones for the same seed. Srivastava et al. 2014.";
  DropoutMask mask;

  Tensor masked(const Tensor& x) const;
  Tensor forward(const Tensor& x) { return masked(x); }
  void backward(const Tensor& dy, GradientSlot& dx) { dx.add(masked(dy)); }
  static std::vector<Sample> samples();
};

}  // namespace kette::ops

namespace kette {

/// Returns x itself if the mask is not active.
Variable dropout(const Variable& x, const DropoutMask& mask);

}  // namespace kette
