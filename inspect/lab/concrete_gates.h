// Gates on heads that learn to shut: Louizos et al. 2018, "Learning Sparse Neural Networks through L0
// Regularization", section 2.2, as Voita et al. 2019 put them on heads. With u uniform in (0, 1),
//   s = sigmoid((log u - log(1 - u) + a) / beta),   gate = min(1, max(0, s (zeta - gamma) + gamma))
// is 0 with a probability of its own, so that what a model pays for each open gate,
//   P(gate != 0) = sigmoid(a - beta log(-gamma / zeta)),
// has a gradient. After training a gate is what s = sigmoid(a) makes of it.
#pragma once

#include "inspect/heads/head_gates.h"
#include "nn/param_store.h"
#include "tensor/random.h"

namespace kette {

inline constexpr double kConcreteBeta = 2.0 / 3, kConcreteGamma = -0.1, kConcreteZeta = 1.1;

/// noise: log u - log(1 - u), of the shape of a.
Variable concrete_gate(const Variable& a, const Tensor& noise);
/// The expected number of gates that are not 0.
Variable expected_open(const Variable& a);
double concrete_gate(double a);

class ConcreteGates {
 public:
  /// Of each head of these attentions; all begin open, nine times of ten.
  ConcreteGates(std::vector<AttentionPart> attentions, Device device);

  ParamStore& parameters() { return store_; }
  /// For one step, on the tape.
  HeadGates sampled(Random& random) const;
  Variable expected_open() const;
  /// After training, of each attention by head.
  std::vector<std::vector<double>> values() const;
  HeadGates trained() const;

 private:
  std::vector<AttentionPart> attentions_;
  ParamStore store_;
  std::vector<Variable> a_;
};

}  // namespace kette
