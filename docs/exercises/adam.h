// One step of Adam (Kingma and Ba 2015, algorithm 1), for each weight w with gradient g, at step t:
//   m = beta1 m + (1 - beta1) g              a running mean of the gradients
//   v = beta2 v + (1 - beta2) g^2            and of their squares
//   w = w - lr m' / (sqrt(v') + epsilon)     m' = m / (1 - beta1^t), v' = v / (1 - beta2^t)
// Both means begin at 0; dividing by 1 - beta^t makes up for that.
#pragma once

#include <cstdint>
#include <vector>

struct AdamState {
  std::vector<double> m, v;  ///< as many as weights
  std::int64_t t = 0;        ///< steps so far
};

inline void adam_step(std::vector<double>& weights, const std::vector<double>& gradients,
                      AdamState& state, double lr, double beta1, double beta2, double epsilon) {
  (void)weights, (void)gradients, (void)lr, (void)beta1, (void)beta2, (void)epsilon;
  ++state.t;  // your turn
}
