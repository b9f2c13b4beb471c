#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

struct AdamState {
  std::vector<double> m, v;
  std::int64_t t = 0;
};

inline void adam_step(std::vector<double>& weights, const std::vector<double>& gradients,
                      AdamState& state, double lr, double beta1, double beta2, double epsilon) {
  const auto t = static_cast<double>(++state.t);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double g = gradients[i];
    state.m[i] = beta1 * state.m[i] + (1 - beta1) * g;
    state.v[i] = beta2 * state.v[i] + (1 - beta2) * g * g;
    const double mean = state.m[i] / (1 - std::pow(beta1, t));
    const double square = state.v[i] / (1 - std::pow(beta2, t));
    weights[i] -= lr * mean / (std::sqrt(square) + epsilon);
  }
}
