#pragma once

#include <functional>
#include <vector>

using Loss = std::function<double(const std::vector<double>&)>;

/// With both sides the terms of even order cancel: what is left falls with h^2, not with h.
inline std::vector<double> differences(const Loss& loss, std::vector<double> x, double step) {
  std::vector<double> result;
  for (double& element : x) {
    const double at = element;
    element = at + step;
    const double above = loss(x);
    element = at - step;
    const double below = loss(x);
    element = at;
    result.push_back((above - below) / (2 * step));
  }
  return result;
}
