// Hard concrete gates, which learn to close (Louizos et al. 2018, "Learning Sparse Neural Networks through L0
// Regularization", section 2.2), on heads as in Voita et al. 2019. With u uniform in (0, 1):
//   s = sigmoid((log u - log(1 - u) + a) / beta),   gate = min(1, max(0, s (zeta - gamma) + gamma))
// The gate is exactly 0 with some probability. So the penalty for each open gate has a gradient:
//   P(gate != 0) = sigmoid(a - beta log(-gamma / zeta))
// After training s = sigmoid(a).
#pragma once

#include "inspect/heads/head_gates.h"
#include "nn/param_store.h"
#include "tensor/random.h"

namespace kette {

inline constexpr double kConcreteBeta = 2.0 / 3, kConcreteGamma = -0.1, kConcreteZeta = 1.1;

/// noise: log u - log(1 - u), with the shape of a.
Variable concrete_gate(const Variable& a, const Tensor& noise);
/// The expected number of gates that are not 0.
Variable expected_open(const Variable& a);
/// The gate after training.
double concrete_gate(double a);

class ConcreteGates {
 public:
  /// One gate for each head of the attentions. At first each is open with probability 0.97.
  ConcreteGates(std::vector<AttentionPart> attentions, Device device);

  ParamStore& parameters() { return store_; }
  /// Gates with new noise for one step, on the tape.
  HeadGates sampled(Random& random) const;
  Variable expected_open() const;
  /// The gates after training: [attentions][heads].
  std::vector<std::vector<double>> values() const;
  HeadGates trained() const;

 private:
  std::vector<AttentionPart> attentions_;
  ParamStore store_;
  std::vector<Variable> a_;
};

}  // namespace kette
